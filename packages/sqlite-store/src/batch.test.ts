import { expect, test } from "vitest";
import { expectRecord } from "./testing/expect-record.ts";
import { openPlace, rejectionOf, sqliteError } from "./testing/place.ts";
import type { Place } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";

/** How many runs save at once. */
const many = 20;

/** Runs whose first save is there, and a note of every point that was reached since. */
async function openRuns(place: Place, at: (point: string, points: readonly string[]) => void = () => undefined) {
  const points: string[] = [];
  const store = place.open({
    at: (point) => {
      points.push(point);
      at(point, points);
    },
  });
  const runs = Array.from({ length: many }, (_, number) => sample(`run ${number}`));
  const sessions = await Promise.all(runs.map(async ({ runId }) => await store.acquire(runId)));
  const each = async (revision: number) =>
    await Promise.allSettled(
      sessions.map(async (session, at) => {
        const run = runs[at] ?? sample("none");
        await session.save(run.at(revision), revision - 1, run.changesTo(revision));
      }),
    );
  await each(1);
  points.length = 0;
  return { store, points, runs, sessions, each };
}

const count = (points: readonly string[], point: string): number => points.filter((each) => each === point).length;

test("SQL-2 saves of one tick commit together, and so do takes and releases of runs", async () => {
  await using place = await openPlace();
  const { store, points, runs, sessions, each } = await openRuns(place);
  await each(2);
  expect(count(points, "commit after")).toBe(1);
  expect(count(points, "run-update after")).toBe(many);
  for (const run of runs) await expectRecord(store, run, 2);
  points.length = 0;
  await Promise.all(sessions.map(async (session) => await session.close()));
  expect(count(points, "owner-release after")).toBe(many);
  expect(count(points, "commit after")).toBe(1);
});

test("SQL-2 a save that conflicts fails alone, and so does one that cannot be written", async () => {
  await using place = await openPlace();
  let writes = 0;
  const { store, runs, sessions } = await openRuns(place, (point) => {
    if (point !== "entry-put before") return;
    writes += 1;
    // The second entry of the third save: its first is taken back.
    if (writes === 1000 + 6) throw sqliteError("SQLITE_CONSTRAINT");
  });
  writes = 1000;
  const outcomes = await Promise.allSettled(
    sessions.map(async (session, at) => {
      const run = runs[at] ?? sample("none");
      // The second one is a revision behind.
      await (at === 1 ? session.save(run.at(3), 2, run.changesTo(3)) : session.save(run.at(2), 1, run.changesTo(2)));
    }),
  );
  const failed = outcomes.flatMap(({ status }, at) => (status === "rejected" ? [at] : []));
  expect(failed).toEqual([1, 3]);
  expect(outcomes[1]).toMatchObject({ reason: { code: "PULSE_CONFLICT", details: { expected: 2, found: 1 } } });
  expect(outcomes[3]).toMatchObject({ reason: { code: "PULSE_STORE", details: { systemCode: "SQLITE_CONSTRAINT" } } });
  for (const [at, run] of runs.entries()) await expectRecord(store, run, failed.includes(at) ? 1 : 2);
  // A conflict changed nothing: the same session goes on.
  const [second, run] = [sessions[1], runs[1]];
  if (second !== undefined && run !== undefined) await saveUpTo(second, run, 1, 2);
});

test("SQL-2 STORE-4 nothing is acknowledged before COMMIT has returned; when it fails, all of its saves fail and none is there", async () => {
  await using place = await openPlace();
  let settled = 0;
  let atCommit: number | undefined;
  let failing = true;
  const { store, runs, each, sessions } = await openRuns(place, (point, points) => {
    if (point !== "commit before" || !points.includes("run-update after")) return;
    atCommit ??= settled;
    if (failing) throw sqliteError("SQLITE_FULL");
  });
  for (const session of sessions) {
    const save = session.save.bind(session);
    session.save = async (...given) => await save(...given).finally(() => (settled += 1));
  }
  const outcomes = await each(2);
  expect(atCommit).toBe(0);
  expect(settled).toBe(many);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { details: { systemCode: "SQLITE_FULL" } } });
  }
  failing = false;
  for (const run of runs) await expectRecord(store, run, 1);
});

test("SQL-2 STORE-4 a save that was committed and is told as failed is whole", async () => {
  await using place = await openPlace();
  let failing = false;
  const store = place.open({
    at: (point) => {
      if (failing && point === "commit after") throw sqliteError("SQLITE_IOERR_FSYNC");
    },
  });
  const run = sample("run");
  const session = await store.acquire("run");
  await saveUpTo(session, run, 0, 1);
  failing = true;
  const error = await rejectionOf("PULSE_STORE", session.save(run.at(2), 1, run.changesTo(2)));
  expect(error.details).toMatchObject({ next: "mend-store", systemCode: "SQLITE_IOERR_FSYNC" });
  expect(error.message).toContain("the disk reported an error; check it, then resume");
  failing = false;
  expect(await rejectionOf("PULSE_STORE", session.save(run.at(2), 1, run.changesTo(2)))).toBe(error);
  await session.close();
  await expectRecord(store, run, 2);
});
