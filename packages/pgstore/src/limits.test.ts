import { needsPostgres } from "@pulse-ts/test-postgres";
import pg from "pg";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");
const patience = { timeout: 30_000, interval: 10 };
const noAnswer = { code: "PULSE_STORE", details: { runId: run.runId, systemCode: "PG_TIMEOUT" } };

describe("acquire", () => {
  test("PG-2 it takes no longer than its limit, waiting for a connection of the pool included", async () => {
    await using bench = await openBench();
    const pool = new pg.Pool({ connectionString: bench.url, max: 1 });
    const store = bench.openWith({ pool, acquireMs: 300 });
    await store.catalog.count();
    const taken = await pool.connect();
    await expect(store.acquire(run.runId)).rejects.toMatchObject(noAnswer);
    taken.release();
    // The place in the queue was given up: the run is free, and so is the connection.
    await vi.waitFor(() => expect([pool.waitingCount, pool.idleCount]).toEqual([0, 1]), patience);
    await (await bench.openDirect().acquire(run.runId)).close();
    await store.close();
    await pool.end();
  });

  test("PG-2 its signal ends the waiting at once, and leaves the run free", async () => {
    await using bench = await openBench();
    const pool = new pg.Pool({ connectionString: bench.url, max: 1 });
    const store = bench.openWith({ pool });
    await store.catalog.count();
    const taken = await pool.connect();
    const stop = new AbortController();
    const reason = new Error("enough");
    const acquiring = store.acquire(run.runId, { signal: stop.signal });
    await vi.waitFor(() => expect(pool.waitingCount).toBe(1), patience);
    stop.abort(reason);
    await expect(acquiring).rejects.toBe(reason);
    taken.release();
    await vi.waitFor(() => expect([pool.waitingCount, pool.idleCount]).toEqual([0, 1]), patience);
    await (await bench.openDirect().acquire(run.runId)).close();
    await store.close();
    await pool.end();
  });

  test("PG-2 a run that was taken after all, when nobody waited any more, is let go", async () => {
    await using bench = await openBench();
    const stop = new AbortController();
    const store = bench.open({}, (moment, step) => {
      if (step === "acquire" && moment === "after") stop.abort(new Error("enough"));
    });
    await expect(store.acquire(run.runId, { signal: stop.signal })).rejects.toThrow("enough");
    await vi.waitFor(async () => await (await bench.openDirect().acquire(run.runId)).close(), patience);
  });

  test("PG-2 a server that says nothing is told as such", async () => {
    await using bench = await openBench();
    const store = bench.open({ acquireMs: 500 });
    await (await store.acquire("before")).close();
    bench.link.blackHole();
    await expect(store.acquire(run.runId)).rejects.toMatchObject(noAnswer);
    bench.link.restore();
    const session = await vi.waitFor(async () => await store.acquire(run.runId), patience);
    await saveSteps(session, run, 0, 1);
  });
});

describe("other calls", () => {
  test("PG-7 a save that gets no answer in time is a PULSE_STORE error, and the record is the old or the new one", async () => {
    await using bench = await openBench();
    const session = await bench.open({ statementMs: 500 }).acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    bench.link.blackHole();
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject(noAnswer);
    bench.link.restore();
    const record = await bench.openDirect().catalog.read(run.runId);
    expect(record).toEqual(run.at(record.header.revision));
  });

  test("PG-8 closing takes no longer than its limit, and then the lease is renewed no more", async () => {
    await using bench = await openBench();
    const store = bench.open({ closeMs: 300, leaseMs: 1_200 });
    const session = await store.acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    const locker = await bench.connect();
    await locker.query("BEGIN");
    await locker.query(`SELECT FROM "${bench.schema}".runs FOR UPDATE`);
    const saving = saveSteps(session, run, 1, 2);
    await expect(session.close()).rejects.toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringContaining("could not be let go within 300 ms; its lease ends by itself within 1200 ms"),
    });
    await locker.query("ROLLBACK");
    await saving;
    const next = await vi.waitFor(async () => await bench.openDirect().acquire(run.runId), patience);
    expect(await next.load()).toEqual(run.at(2));
  });

  test("PG-8 closing waits for the session's own save, and then lets the run go", async () => {
    await using bench = await openBench();
    const session = await bench.open().acquire(run.runId);
    const saving = saveSteps(session, run, 0, 1);
    await session.close();
    await saving;
    expect(await (await bench.openDirect().acquire(run.runId)).load()).toEqual(run.at(1));
  });
});
