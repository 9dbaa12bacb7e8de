import { isPulseError } from "@pulse-ts/core";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test } from "vitest";
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
