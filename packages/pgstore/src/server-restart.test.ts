import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { graph, key, node, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { needsPostgres, startPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, expect, test } from "vitest";
import { openBench } from "./testing/bench.ts";
import { runLanes } from "./testing/lanes.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");

test.each(["fast", "immediate"] as const)(
  "PG-7 a server restart (%s) between two saves of a run loses nothing, and the owner goes on",
  async (mode) => {
    await using server = await startPostgres();
    await using bench = await openBench(server.url);
    const session = await bench.openDirect().acquire(run.runId);
    await saveSteps(session, run, 0, 2);
    await server.stop(mode);
    await server.start();
    expect(await session.load()).toEqual(run.at(2));
    await saveSteps(session, run, 2, 4);
    await session.close();
    const next = await bench.openDirect().acquire(run.runId);
    expect(await next.load()).toEqual(run.at(4));
  },
);

test("PG-7 a resumable run whose step outlasts a restart of the server ends as if there had been none", async () => {
  await using server = await startPostgres();
  await using bench = await openBench(server.url);
  const first = key("first", type<number>());
  const second = key("second", type<number>());
  const calls: string[] = [];
  const restarted = graph("restarted", {
    outputs: [second],
    nodes: [
      node("first", { provides: [first] }, () => {
        calls.push("first");
        return { first: 1 };
      }),
      node("second", { requires: [first], provides: [second] }, async ({ first }) => {
        calls.push("second");
        await server.stop("immediate");
        await server.start();
        return { second: first + 1 };
      }),
    ],
  });
  const pulse = durable({ store: bench.openDirect() });
  const { values } = await pulse.run(restarted, {}, { runId: "run", version: "1" });
  expect(values).toEqual({ second: 2 });
  expect(calls).toEqual(["first", "second"]);
  await pulse.close();
});

test("PG-7 KIT-6 a server that is stopped at once in the middle of commits loses no save that was confirmed", async () => {
  await using server = await startPostgres();
  await using bench = await openBench(server.url);
  const lanes = runLanes(bench.openDirect({ leaseMs: 5_000 }), { count: 8, saves: 60 });
  for (const saves of [23, 57, 101]) {
    await lanes.saved(saves);
    await server.stop("immediate");
    await server.start();
  }
  await lanes.done;
  expect(lanes.failures).toBeGreaterThan(0);
});

test("KIT-6 connections that the administrator ends, the holder's too, cost no save that was confirmed", async () => {
  await using bench = await openBench();
  const lanes = runLanes(bench.openDirect({ leaseMs: 5_000 }), { count: 8, saves: 60 });
  let ended = 0;
  for (const saves of [11, 40, 40, 40, 40, 40]) {
    await lanes.saved(saves);
    const rows = await bench.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    ended += rows.length;
  }
  await lanes.done;
  expect(ended).toBeGreaterThan(6);
});

test("PG-7 after a fail-over to a standby saves are refused until it is promoted, and nothing is lost", async () => {
  await using server = await startPostgres();
  await using bench = await openBench(server.url);
  const store = bench.openDirect();
  const session = await store.acquire(run.runId);
  await saveSteps(session, run, 0, 2);
  const [found] = await bench.ask("SHOW data_directory");
  const standby = join(String(found?.["data_directory"]), "standby.signal");
  await server.stop("fast");
  await writeFile(standby, "");
  await server.start();

  expect(await session.load()).toEqual(run.at(2));
  await expect(saveSteps(session, run, 2, 3)).rejects.toMatchObject({
    code: "PULSE_STORE",
    message: expect.stringContaining("the database is read-only, perhaps a standby; connect to the primary"),
    details: { systemCode: "25006" },
  });
  await expect(session.close()).rejects.toMatchObject({ code: "PULSE_STORE", details: { systemCode: "25006" } });
  // A store that is opened now is told before it does anything.
  await expect(bench.openDirect().acquire("other")).rejects.toMatchObject({ details: { systemCode: "25006" } });

  const admin = await bench.connect();
  await admin.query("SELECT pg_promote()");
  await rm(standby, { force: true });
  await store.close();
  // The run was not let go, but its owner's process holds no lock any more.
  const next = await bench.openDirect().acquire(run.runId);
  expect(await next.load()).toEqual(run.at(2));
  await saveSteps(next, run, 2, 3);
});
