import { graph, node, PulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import type { Store } from "../store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { chainGraph } from "../testing/graphs.ts";
import { deferred, worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };
const ways = ["run", "resume", "runOrResume", "start"] as const;

/** A store with a run that was begun and left, unless the way is one that starts it. */
async function storeFor(way: (typeof ways)[number]) {
  const memory = memoryStore();
  if (way !== "resume") return memory;
  const dying = worker(memory);
  const dead = dying.diesAt(2, "before");
  void dying.pulse.run(chainGraph(1).graph, { start: 0 }, call).catch(() => {});
  await dead;
  return memory;
}

test.each(ways)("DUR-1 DUR-24 %s takes the options of an execution, and beforeStart before it starts", async (way) => {
  const { pulse, events, see } = worker(await storeFor(way));
  const order: string[] = [];
  const ended = pulse[way](
    chainGraph(1).graph,
    { start: 0 },
    {
      ...call,
      name: "named",
      observers: [see],
      beforeStart: (execution) => void order.push(`${execution.snapshot().state}, seen ${events.length}`),
    },
  );
  const result = await ended;
  const outcome = "wait" in result ? await result.wait() : result;
  expect(outcome.values).toEqual({ link0: 1 });
  // Nothing was told before: no event of the run either.
  expect(order).toEqual(["built, seen 0"]);
  expect(events.find(({ kind }) => kind === "execution-started")).toMatchObject({ name: "named" });
});

/** A store that has a run and cannot give it. */
const refusing = (memory: Store, error: unknown): Store => ({
  acquire: async (runId) => ({ ...(await memory.acquire(runId)), load: () => Promise.reject(error) }),
});

const missing = new PulseError("PULSE_NOT_FOUND", "none", { details: { runId: "run", next: "start" } });
const notThere: Readonly<Record<string, unknown>> = {
  "a corrupt record": new PulseError("PULSE_CORRUPT", "torn", {
    details: { runId: "run", next: "restore-backup", where: "header" },
  }),
  "a newer format": new PulseError("PULSE_NEWER_FORMAT", "newer", {
    details: { runId: "run", next: "newer-package", found: 3, supported: 2 },
  }),
  "a lost owner": new PulseError("PULSE_OWNERSHIP_LOST", "lost", { details: { runId: "run", next: "later" } }),
  "an error that only wraps a missing run": new Error("wrapped", { cause: missing }),
  "an error that only says so": Object.assign(new Error("none"), { code: "PULSE_NOT_FOUND" }),
  nothing: undefined,
};

test.each(Object.entries(notThere))("DUR-18 %s starts no new run", async (_name, error) => {
  for (const way of ["runOrResume", "start", "run"] as const) {
    const memory = memoryStore();
    const { pulse, store, events, see } = worker(refusing(memory, error));
    const refused = await pulse[way](chainGraph(1).graph, { start: 0 }, { ...call, observers: [see] }).then(
      () => "started",
      (thrown: unknown) => thrown,
    );
    // The store's own error, or one that has it as its cause.
    expect([refused, (refused as Error).cause]).toContain(error);
    expect([store.saves, store.closed, events]).toEqual([[], 1, []]);
    expect(await memory.catalog.count()).toBe(0);
  }
});

test("DUR-30 close waits for every run, those that are being opened too, and each can be resumed", async () => {
  const memory = memoryStore();
  const opening = deferred();
  const slow: Store = {
    ...memory,
    async acquire(runId, options) {
      if (runId === "slow") await opening.promise;
      return await memory.acquire(runId, options);
    },
  };
  let ends = false;
  const waits = graph("waits", {
    nodes: [
      node("wait", {}, (_values, { signal }) => {
        if (ends) return;
        return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      }),
    ],
  });
  const pulse = durable({ store: slow });
  const names = ["one", "two", "slow"];
  const running = names.map((runId) => rejectionOf("PULSE_INTERRUPTED", pulse.run(waits, {}, { ...call, runId })));
  let closed = false;
  const closing = pulse.close().then(() => (closed = true));
  expect((await Promise.all(running.slice(0, 2))).map(({ details }) => details.next)).toEqual(["resume", "resume"]);
  expect(closed).toBe(false);
  opening.resolve();
  await closing;
  await running[2];
  ends = true;
  const later = durable({ store: memory });
  for (const runId of names) await later.resume(waits, {}, { ...call, runId });
  expect(await memory.catalog.count({ status: "completed" })).toBe(3);
});
