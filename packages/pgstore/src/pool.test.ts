import { needsPostgres } from "@pulse-ts/test-postgres";
import pg from "pg";
import { beforeEach, expect, test, vi } from "vitest";
import { openBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const patience = { timeout: 30_000, interval: 10 };

test("PG-5 1,000 runs are owned and saved at once on a pool of 10 connections, none of which they keep", async () => {
  await using bench = await openBench();
  const pool = new pg.Pool({ connectionString: bench.url, max: 10 });
  const store = bench.openWith({ pool });
  const runs = Array.from({ length: 1_000 }, (_, at) => sampleRun(`run ${at}`));
  const sessions = await Promise.all(runs.map(async ({ runId }) => await store.acquire(runId)));
  expect(pool.idleCount).toBe(pool.totalCount);
  await Promise.all(sessions.map(async (session, at) => await saveSteps(session, runs[at]!, 0, 2)));
  expect(pool.totalCount).toBeLessThanOrEqual(10);
  expect(pool.idleCount).toBe(pool.totalCount);
  expect(await store.catalog.count()).toBe(1_000);
  expect(await sessions[999]?.load()).toEqual(runs[999]?.at(2));
  await Promise.all(sessions.map(async (session) => await session.close()));
  await store.close();
  await pool.end();
});

test("PG-1 a pool of the host's is used and never ended; the listeners of the store go with it", async () => {
  await using bench = await openBench();
  const pool = new pg.Pool({ connectionString: bench.url });
  const store = bench.openWith({ pool });
  const run = sampleRun("run");
  const session = await store.acquire(run.runId);
  await saveSteps(session, run, 0, 1);
  await session.close();
  await store.close();
  await store.close();
  expect(pool.listenerCount("error")).toBe(0);
  expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test("PG-1 close ends the connections that the store made, the holder's too", async () => {
  await using bench = await openBench();
  const store = bench.open();
  const session = await store.acquire("run");
  expect(bench.link.connections).toBe(2);
  await session.close();
  await store.close();
  await vi.waitFor(() => expect(bench.link.connections).toBe(0), patience);
  await expect(store.acquire("run")).rejects.toMatchObject({ code: "PULSE_USAGE" });
  await expect(store.catalog.list()).rejects.toMatchObject({ code: "PULSE_USAGE" });
  await expect(store.migrate()).rejects.toMatchObject({ code: "PULSE_USAGE" });
  await expect(store.collect()).rejects.toMatchObject({ code: "PULSE_USAGE" });
});

test("PG-1 a connection of the host's pool that breaks while nothing uses it ends nothing", async () => {
  await using bench = await openBench();
  const pool = new pg.Pool({ connectionString: bench.link.url });
  const kinds: string[] = [];
  const store = bench.openWith({ pool, onNotice: ({ kind }) => void kinds.push(kind) });
  const run = sampleRun("run");
  const session = await store.acquire(run.runId);
  await saveSteps(session, run, 0, 1);
  bench.link.cutAll();
  await vi.waitFor(() => expect(kinds).toContain("connection-lost"), patience);
  await vi.waitFor(() => expect(kinds).toContain("holder-back"), patience);
  await saveSteps(session, run, 1, 2);
  await session.close();
  await store.close();
  await pool.end();
});
