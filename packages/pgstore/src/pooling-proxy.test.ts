import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, expect, test } from "vitest";
import type { PgNotice } from "./index.ts";
import { openBench } from "./testing/bench.ts";
import { runLanes } from "./testing/lanes.ts";
import { openPoolingProxy } from "./testing/pooling-proxy.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");

test("PG-6 PG-5 behind a proxy that gives each transaction another connection runs are saved side by side", async () => {
  await using bench = await openBench();
  await using proxy = await openPoolingProxy(bench.url, 3);
  const notices: PgNotice[] = [];
  const store = bench.open({ connectionString: proxy.url, onNotice: (notice) => notices.push(notice) });
  const lanes = runLanes(store, { count: 20, saves: 8 });
  await lanes.done;
  expect(lanes.failures).toBe(0);
  expect(proxy.switches).toBeGreaterThan(20);
  expect(await store.catalog.count()).toBe(20);
  // It found out that its lock would be somebody else's, and says what that costs and what helps.
  expect(notices.map(({ kind }) => kind)).toEqual(["lease-only"]);
  expect(notices[0]?.message).toMatch(
    /a proxy stands between .* give the option holderConnection a way past the proxy/,
  );
  const ownLocks = `SELECT FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  expect(await bench.ask(ownLocks)).toEqual([]);
  // All of it is there for those who come past the proxy, and the other way round.
  const direct = bench.openDirect();
  const session = await direct.acquire("lane 7");
  expect(await session.load()).toEqual(sampleRun("lane 7").at(8));
  await expect(store.acquire("lane 7")).rejects.toMatchObject({ code: "PULSE_BUSY" });
});

test("PG-6 PG-3 with a holder connection past the proxy a process that is gone is seen dead at once", async () => {
  await using bench = await openBench();
  await using proxy = await openPoolingProxy(bench.url, 3);
  const notices: string[] = [];
  const options = { holderConnection: bench.url, onNotice: ({ kind }: PgNotice) => void notices.push(kind) };
  const owner = bench.open({ connectionString: proxy.url, ...options });
  await saveSteps(await owner.acquire(run.runId), run, 0, 2);
  const other = bench.open({ connectionString: proxy.url, ...options });
  await expect(other.acquire(run.runId)).rejects.toMatchObject({ code: "PULSE_BUSY" });
  await owner.close();
  const next = await other.acquire(run.runId);
  expect(await next.load()).toEqual(run.at(2));
  await saveSteps(next, run, 2, 3);
  expect(notices).toEqual([]);
});

test("PG-6 migrating and deleting, which take several statements, work behind the proxy", async () => {
  await using bench = await openBench();
  await using proxy = await openPoolingProxy(bench.url, 2);
  const store = bench.open({ connectionString: proxy.url, schema: `${bench.schema} by proxy` });
  expect(await store.migrate()).toMatchObject({ from: 0 });
  const session = await store.acquire(run.runId);
  await saveSteps(session, run, 0, 1);
  await session.close();
  await Promise.all([store.catalog.delete(run.runId), store.catalog.read("none").catch(() => undefined)]);
  expect(await store.catalog.count()).toBe(0);
});
