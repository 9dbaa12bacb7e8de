import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { PgNotice, PgStoreOptions } from "./index.ts";
import { runKey } from "./run-key.ts";
import { openBench } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");
const patience = { timeout: 30_000, interval: 10 };
const lost = { code: "PULSE_OWNERSHIP_LOST", details: { runId: run.runId } };

/** What the row of the run says of its owner. */
async function rowOf({ ask, schema }: PgBench): Promise<Record<string, unknown>> {
  const [row] = await ask(
    `SELECT epoch::text, owner::text, holder::text, holder_name, revision::text, lease_end::text,
       extract(epoch FROM lease_end - clock_timestamp())::float AS seconds_left FROM "${schema}".runs WHERE run_id = $1`,
    [runKey(run.runId).bytes],
  );
  return row ?? {};
}

/** Ends the lease as the passing of time does. */
const endLease = async ({ ask, schema }: PgBench): Promise<unknown> =>
  await ask(`UPDATE "${schema}".runs SET lease_end = clock_timestamp()`);

/** Ends the connections that hold the locks of processes, as their deaths do. */
const killHolders = async ({ ask }: PgBench): Promise<unknown> =>
  await ask(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );

/** What waits for `opened` goes on when `open` is called. */
function openGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

function noticed(): { readonly kinds: PgNotice["kind"][]; readonly options: PgStoreOptions } {
  const kinds: PgNotice["kind"][] = [];
  return { kinds, options: { onNotice: ({ kind }) => void kinds.push(kind) } };
}

describe("a lease", () => {
  test("PG-3 it is 30 s by the clock of the database, and every save renews it", async () => {
    await using bench = await openBench();
    const session = await bench.openDirect().acquire(run.runId);
    const { seconds_left: left } = await rowOf(bench);
    expect(left).toBeGreaterThan(20);
    expect(left).toBeLessThanOrEqual(30);
    await bench.ask(`UPDATE "${bench.schema}".runs SET lease_end = clock_timestamp() + interval '5 seconds'`);
    await saveSteps(session, run, 0, 1);
    expect((await rowOf(bench))["seconds_left"]).toBeGreaterThan(20);
  });

  test("PG-3 while the owner lives it is renewed, for all runs of the process in one statement", async () => {
    await using bench = await openBench();
    const renewals: string[] = [];
    const options = { leaseMs: 1_200 };
    const store = bench.open(options, (moment, step) => {
      if (step === "renew" && moment === "after") renewals.push(step);
    });
    const sessions = await Promise.all(["a", "b", "c"].map(async (runId) => await store.acquire(runId)));
    const first = await bench.ask(`SELECT run_no::text, lease_end FROM "${bench.schema}".runs ORDER BY 1`);
    const from = renewals.length;
    await vi.waitFor(() => expect(renewals.length).toBeGreaterThanOrEqual(from + 2), patience);
    const then = await bench.ask(`SELECT run_no::text, lease_end FROM "${bench.schema}".runs ORDER BY 1`);
    expect(then).toHaveLength(3);
    then.forEach((row, at) => {
      expect((row["lease_end"] as Date) > (first[at]?.["lease_end"] as Date)).toBe(true);
    });
    for (const session of sessions) await session.close();
  });

  test("PG-4 STORE-6 when it has run out the owner can save nothing, though nobody else came", async () => {
    await using bench = await openBench();
    const session = await bench.openDirect().acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    await endLease(bench);
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject(lost);
    expect(await bench.openDirect().catalog.read(run.runId)).toEqual(run.at(1));
    // And it stays so.
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject(lost);
  });

  test("PG-3 when it has run out another can take the run, though the owner's process lives", async () => {
    await using bench = await openBench();
    const session = await bench.openDirect().acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const other = bench.openDirect();
    await expect(other.acquire(run.runId)).rejects.toMatchObject({ code: "PULSE_BUSY" });
    await endLease(bench);
    const next = await other.acquire(run.runId);
    expect(await next.load()).toEqual(run.at(1));
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject(lost);
    await saveSteps(next, run, 1, 2);
    expect(await next.load()).toEqual(run.at(2));
    // Letting go does not take it from the new owner.
    await session.close();
    await saveSteps(next, run, 2, 3);
  });

  test("PG-3 a renewal that comes too late does not bring it back, and is told", async () => {
    await using bench = await openBench();
    const { kinds, options } = noticed();
    const session = await bench.openDirect({ ...options, leaseMs: 1_200 }).acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    await endLease(bench);
    await vi.waitFor(() => expect(kinds).toContain("lease-lost"), patience);
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject(lost);
  });

  test("PG-3 a row that somebody has locked keeps no other run from its renewal", async () => {
    await using bench = await openBench();
    let renewals = 0;
    const store = bench.open({ leaseMs: 1_200 }, (moment, step) => {
      if (step === "renew" && moment === "after") renewals += 1;
    });
    await store.acquire("a");
    await store.acquire("b");
    const locker = await bench.connect();
    await locker.query("BEGIN");
    await locker.query(
      `SELECT FROM "${bench.schema}".runs WHERE run_no = (SELECT min(run_no) FROM "${bench.schema}".runs) FOR UPDATE`,
    );
    const from = renewals;
    await vi.waitFor(() => expect(renewals).toBeGreaterThanOrEqual(from + 5), patience);
    const rows = await bench.ask(
      `SELECT lease_end > clock_timestamp() AS valid FROM "${bench.schema}".runs ORDER BY run_no`,
    );
    expect(rows).toEqual([{ valid: false }, { valid: true }]);
    await locker.query("ROLLBACK");
  });
});

describe("the holder connection", () => {
  test("PG-3 STORE-5 a process whose lock is free is dead: its run can be taken at once", async () => {
    await using bench = await openBench();
    // It is not needed any more when it is lost, so it is not made anew.
    const owner = bench.openDirect();
    const session = await owner.acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    await owner.close();
    const next = await bench.openDirect().acquire(run.runId);
    expect(await next.load()).toEqual(run.at(1));
    await saveSteps(next, run, 1, 2);
  });

  test("PG-3 of many that find a dead owner's runs at once each run goes to one, and none is left", async () => {
    await using bench = await openBench();
    const owner = bench.openDirect();
    const ids = Array.from({ length: 20 }, (_, at) => `run ${at}`);
    for (const id of ids) await owner.acquire(id);
    await owner.close();
    const stores = Array.from({ length: 4 }, () => bench.openDirect({ connectionsMax: 2 }));
    const taken = await Promise.all(
      stores.flatMap((store) =>
        ids.map(async (id) => {
          const session = await store.acquire(id).catch((error: unknown) => error);
          return session instanceof Error ? (expect(session).toMatchObject({ code: "PULSE_BUSY" }), undefined) : id;
        }),
      ),
    );
    expect(taken.filter((id) => id !== undefined).toSorted()).toEqual(ids.toSorted());
  });

  test("PG-3 a lost one is made anew with another lock, and the runs that are owned still say so", async () => {
    await using bench = await openBench();
    const { kinds, options } = noticed();
    const session = await bench.openDirect(options).acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const before = await rowOf(bench);
    await killHolders(bench);
    await vi.waitFor(() => expect(kinds).toEqual(["holder-lost", "holder-back"]), patience);
    const after = await rowOf(bench);
    expect(after["holder"]).not.toBe(before["holder"]);
    expect({ ...after, holder: "", lease_end: "", seconds_left: 0 }).toEqual({
      ...before,
      holder: "",
      lease_end: "",
      seconds_left: 0,
    });
    await expect(bench.openDirect().acquire(run.runId)).rejects.toMatchObject({ code: "PULSE_BUSY" });
    await saveSteps(session, run, 1, 2);
  });

  test("PG-3 a run that was taken while it was lost is not entered again: its former owner can save nothing", async () => {
    await using bench = await openBench();
    const { kinds, options } = noticed();
    const gate = openGate();
    let connects = 0;
    const owner = bench.open(options, async (moment, step) => {
      if (step === "holder-connect" && moment === "before" && (connects += 1) > 1) await gate.opened;
    });
    const session = await owner.acquire(run.runId);
    const kept = await owner.acquire("another");
    await saveSteps(session, run, 0, 1);
    await killHolders(bench);
    const next = await vi.waitFor(async () => await bench.openDirect().acquire(run.runId), patience);
    const taken = await rowOf(bench);
    gate.open();
    await vi.waitFor(() => expect(kinds).toContain("holder-back"), patience);
    const rows = await bench.ask(`SELECT owner::text, holder::text FROM "${bench.schema}".runs ORDER BY run_no`);
    expect(rows).toContainEqual({ owner: taken["owner"], holder: taken["holder"] });
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject(lost);
    await saveSteps(next, run, 1, 2);
    expect(await next.load()).toEqual(run.at(2));
    // What nobody took is still its own.
    await saveSteps(kept, sampleRun("another"), 0, 1);
  });

  test("PG-6 without it the lease alone tells, and the store says so", async () => {
    await using bench = await openBench();
    const { kinds, options } = noticed();
    const owner = bench.openDirect({ ...options, holderConnection: false });
    const session = await owner.acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    expect(kinds).toEqual(["lease-only"]);
    expect((await rowOf(bench))["holder"]).toBeNull();
    await owner.close();
    const other = bench.openDirect();
    await expect(other.acquire(run.runId)).rejects.toMatchObject({ code: "PULSE_BUSY" });
    await endLease(bench);
    expect(await (await other.acquire(run.runId)).load()).toEqual(run.at(1));
  });

  test("PG-6 where it cannot be made the store goes on with the lease alone, and says so", async () => {
    await using bench = await openBench();
    const { kinds, options } = noticed();
    const nowhere = "postgres://127.0.0.1:1/none";
    const session = await bench.openDirect({ ...options, holderConnection: nowhere }).acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    expect(kinds[0]).toBe("lease-only");
    expect((await rowOf(bench))["holder"]).toBeNull();
  });

  test("STORE-1 a busy run names the process that owns it", async () => {
    await using bench = await openBench();
    const store = bench.openDirect();
    await store.acquire(run.runId);
    for (const asking of [store, bench.openDirect()]) {
      await expect(asking.acquire(run.runId)).rejects.toMatchObject({
        code: "PULSE_BUSY",
        details: { runId: run.runId, next: "later", holder: expect.stringContaining(`process ${process.pid} on `) },
      });
    }
  });
});

describe("a save and a takeover at the same time", () => {
  /** Waits until so many statements wait for the row. */
  const waiters = async ({ ask }: PgBench, count: number): Promise<void> => {
    await vi.waitFor(async () => {
      const waiting = await ask(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      expect(waiting).toHaveLength(count);
    }, patience);
  };
  const lockRow = async (bench: PgBench): Promise<() => Promise<unknown>> => {
    const locker = await bench.connect();
    await locker.query("BEGIN");
    await locker.query(`SELECT FROM "${bench.schema}".runs FOR UPDATE`);
    return async () => await locker.query("COMMIT");
  };

  test("STORE-6 a takeover that waits for a save in the row finds it", async () => {
    await using bench = await openBench();
    const owner = bench.openDirect({ holderConnection: false, leaseMs: 1_000 });
    const session = await owner.acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const unlock = await lockRow(bench);
    // The save waits for the row; its lease runs out meanwhile, so that somebody takes the run.
    const saving = saveSteps(session, run, 1, 2);
    await waiters(bench, 1);
    const taking = vi.waitFor(async () => await bench.openDirect().acquire(run.runId), patience);
    await waiters(bench, 2);
    await unlock();
    await saving;
    const next = await taking;
    expect(await next.load()).toEqual(run.at(2));
    await expect(saveSteps(session, run, 2, 3)).rejects.toMatchObject(lost);
  });

  test("STORE-6 a save that waits for a takeover in the row writes nothing", async () => {
    await using bench = await openBench();
    const gate = openGate();
    let connects = 0;
    const owner = bench.open({}, async (moment, step) => {
      if (step === "holder-connect" && moment === "before" && (connects += 1) > 1) await gate.opened;
    });
    const session = await owner.acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const other = bench.openDirect();
    await (await other.acquire("another")).close();
    // From now on the owner's process looks dead, while its lease goes on.
    await killHolders(bench);
    const unlock = await lockRow(bench);
    const taking = other.acquire(run.runId);
    await waiters(bench, 1);
    const saving = saveSteps(session, run, 1, 2);
    await waiters(bench, 2);
    await unlock();
    const next = await taking;
    await expect(saving).rejects.toMatchObject(lost);
    expect(await next.load()).toEqual(run.at(1));
    gate.open();
  });
});
