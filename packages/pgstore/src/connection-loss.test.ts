import { isPulseError } from "@pulse-ts/core";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openBench, saveStatement } from "./testing/bench.ts";
import { cutMoments } from "./testing/link.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");
const savesSent = (statements: readonly string[]): number =>
  statements.filter((text) => saveStatement.test(text)).length;

describe("a connection that is cut at a save", () => {
  /** What a load finds afterwards: the old record, the new one, or either. */
  const found = { before: [1], sent: [1, 2], answered: [2], after: [2] } as const;

  test.each(cutMoments)("PG-7 KIT-6 %s the commit: the record is the old or the new one, whole", async (moment) => {
    await using bench = await openBench();
    const store = bench.open();
    const session = await store.acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const cut = bench.link.cutAt(moment, saveStatement);
    const saved = await saveSteps(session, run, 1, 2).then(
      () => "saved",
      (error: unknown) => error,
    );
    await cut;
    if (moment === "after") expect(saved).toBe("saved");
    else expect(isPulseError(saved, "PULSE_STORE") && saved.message).toContain("the connection was lost");
    await session.close();

    const next = await bench.openDirect().acquire(run.runId);
    const record = await next.load();
    expect(found[moment]).toContain(record.header.revision);
    expect(record).toEqual(run.at(record.header.revision));
    // The first save, and once the second: what may have been written is never sent again.
    expect(savesSent(bench.link.statements)).toBe(moment === "before" ? 1 : 2);
    await saveSteps(next, run, record.header.revision, 3);
    expect(await next.load()).toEqual(run.at(3));
  });

  test("STORE-4 the session takes no save after one that may have been written", async () => {
    await using bench = await openBench();
    const session = await bench.open().acquire(run.runId);
    const cut = bench.link.cutAt("answered", saveStatement);
    await expect(saveSteps(session, run, 0, 1)).rejects.toMatchObject({ code: "PULSE_STORE" });
    await cut;
    await expect(saveSteps(session, run, 0, 1)).rejects.toMatchObject({ code: expect.stringMatching(/^PULSE_/) });
    expect(savesSent(bench.link.statements)).toBe(1);
  });
});

const beforeTheAnswer = ["before", "sent", "answered"] as const;

test("PG-7 a connection that the server ends in the packet that lets it in breaks no process: the call fails", async () => {
  await using bench = await openBench();
  const store = bench.open();
  bench.link.sendAway();
  const refusal = await store.acquire(run.runId).catch((error: unknown) => error);
  expect(isPulseError(refusal, "PULSE_STORE") && refusal.message).toContain("resume when the server can be reached");
  bench.link.restore();
  const session = await store.acquire(run.runId);
  await saveSteps(session, run, 0, 1);
  expect(await session.load()).toEqual(run.at(1));
});

describe("a connection that is cut at another statement", () => {
  test.each(beforeTheAnswer)("PG-7 %s a release: it is sent again, and the run is free at once", async (moment) => {
    await using bench = await openBench();
    const session = await bench.open().acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const cut = bench.link.cutAt(moment, /owner = NULL/);
    await session.close();
    await cut;
    const next = await bench.openDirect().acquire(run.runId);
    expect(await next.load()).toEqual(run.at(1));
  });

  test.each(beforeTheAnswer)("PG-7 %s a load: it is sent again", async (moment) => {
    await using bench = await openBench();
    const session = await bench.open().acquire(run.runId);
    await saveSteps(session, run, 0, 2);
    const cut = bench.link.cutAt(moment, /AS run_revision/);
    expect(await session.load()).toEqual(run.at(2));
    await cut;
  });

  test.each(beforeTheAnswer)("PG-2 %s an acquire: an error, and nobody is left owning the run", async (moment) => {
    await using bench = await openBench();
    const store = bench.open();
    await store.catalog.count();
    const cut = bench.link.cutAt(moment, /^WITH seen AS/);
    await expect(store.acquire(run.runId)).rejects.toMatchObject({ code: "PULSE_STORE" });
    await cut;
    const direct = bench.openDirect();
    const next = await vi.waitFor(async () => await direct.acquire(run.runId), { timeout: 20_000, interval: 20 });
    await saveSteps(next, run, 0, 1);
  });
});
