import { isPulseError } from "@pulse-ts/core";
import type { Session, Store } from "@pulse-ts/durable";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, expect, test } from "vitest";
import { saveStatement, openBench } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";
import { spawnOwner } from "./testing/spawn-owner.ts";
import type { Owner } from "./testing/spawn-owner.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");

/** Tries until the run is free; gives how long that took too. */
async function acquireSoon(store: Store): Promise<{ readonly session: Session; readonly ms: number }> {
  const from = performance.now();
  while (true) {
    try {
      return { session: await store.acquire(run.runId), ms: performance.now() - from };
    } catch (error) {
      if (!isPulseError(error, "PULSE_BUSY")) throw error;
    }
  }
}

async function ownerOf(bench: PgBench, options: { readonly leaseMs: number; readonly holderConnection?: false }) {
  const owner = await spawnOwner({ connectionString: bench.url, schema: bench.schema, ...options });
  expect(await owner.tell({ kind: "acquire", runId: run.runId })).toEqual({ kind: "done" });
  expect(await owner.tell({ kind: "save", runId: run.runId, from: 0, to: 3 })).toEqual({ kind: "done" });
  return owner;
}

/** What is left of the lease of the run, by the clock of the database. */
async function leaseLeft(bench: PgBench): Promise<number> {
  const [row] = await bench.ask(
    `SELECT extract(epoch FROM lease_end - clock_timestamp())::float8 * 1000 AS ms FROM "${bench.schema}".runs`,
  );
  return Number(row?.["ms"]);
}

test("PG-3 STORE-5 the run of a process that was killed is free as soon as its connections are gone", async ({
  annotate,
}) => {
  await using bench = await openBench();
  await using owner = await ownerOf(bench, { leaseMs: 600_000 });
  await owner.kill();
  const { session, ms } = await acquireSoon(bench.openDirect());
  await annotate(`taken over ${ms.toFixed(0)} ms after kill -9, with the holder connection`);
  expect(await session.load()).toEqual(run.at(3));
  await saveSteps(session, run, 3, 5);
});

test("PG-3 PG-6 without a holder connection it is free when the lease has run out, and not before", async ({
  annotate,
}) => {
  await using bench = await openBench();
  await using owner = await ownerOf(bench, { leaseMs: 3_000, holderConnection: false });
  await owner.kill();
  const left = await leaseLeft(bench);
  const { session, ms } = await acquireSoon(bench.openDirect());
  await annotate(
    `taken over ${ms.toFixed(0)} ms after kill -9, without it: ${left.toFixed(0)} ms of the lease were left`,
  );
  // The lease is the database's; what is asked here is that nobody was let in before its end.
  expect(ms).toBeGreaterThanOrEqual(left - 50);
  expect(await session.load()).toEqual(run.at(3));
  await saveSteps(session, run, 3, 5);
});

test.each([
  ["with", {}],
  ["without", { holderConnection: false }],
] as const)(
  "PG-4 KIT-3 a process that was stopped past its lease and continues can save nothing, %s a holder connection",
  async (_with, options) => {
    await using bench = await openBench();
    await using owner: Owner = await ownerOf(bench, { leaseMs: 2_000, ...options });
    owner.signal("SIGSTOP");
    const { session } = await acquireSoon(bench.openDirect());
    expect(await session.load()).toEqual(run.at(3));
    await saveSteps(session, run, 3, 4);
    const late = owner.tell({ kind: "save", runId: run.runId, from: 3, to: 6 });
    owner.signal("SIGCONT");
    expect(await late).toMatchObject({ kind: "failed", code: "PULSE_OWNERSHIP_LOST" });
    await saveSteps(session, run, 4, 5);
    expect(await session.load()).toEqual(run.at(5));
  },
);

test("PG-4 STORE-6 a save that was on its way while the run was taken over writes nothing when it arrives", async () => {
  await using bench = await openBench();
  const owner = bench.open({ leaseMs: 1_000, statementMs: 2_000 });
  const session = await owner.acquire(run.runId);
  await saveSteps(session, run, 0, 3);
  // The cable is pulled: the save is sent, and is somewhere on its way.
  bench.link.blackHole();
  await expect(saveSteps(session, run, 3, 4)).rejects.toMatchObject({
    code: "PULSE_STORE",
    message: expect.stringContaining("there was no answer in time"),
  });
  const { session: next } = await acquireSoon(bench.openDirect());
  expect(await next.load()).toEqual(run.at(3));
  await saveSteps(next, run, 3, 5);
  const sent = bench.link.statements.length;
  const arrived = bench.link.cutAt("answered", saveStatement);
  bench.link.restore();
  await arrived;
  expect(bench.link.statements.slice(sent).filter((text) => saveStatement.test(text))).toHaveLength(1);
  expect(await next.load()).toEqual(run.at(5));
  await saveSteps(next, run, 5, 6);
});

test("PG-1 eight processes that migrate at once all succeed", async () => {
  await using bench = await openBench();
  const schema = `${bench.schema} by eight`;
  const options = { connectionString: bench.url, schema, connectionsMax: 1 };
  const started = await Promise.allSettled(Array.from({ length: 8 }, async () => await spawnOwner(options)));
  const owners = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  try {
    const answers = await Promise.all(owners.map(async (owner) => await owner.tell({ kind: "migrate" })));
    expect(answers).toEqual(Array.from({ length: 8 }, () => ({ kind: "done" })));
  } finally {
    for (const owner of owners) await owner.kill();
  }
  const session = await bench.openDirect({ schema }).acquire(run.runId);
  await saveSteps(session, run, 0, 1);
  const marks = await bench.ask(`SELECT number FROM "${schema}".pulse_migrations ORDER BY 1`);
  expect(marks.map(({ number }) => number)).toEqual(marks.map((_, at) => at + 1));
}, 240_000);
