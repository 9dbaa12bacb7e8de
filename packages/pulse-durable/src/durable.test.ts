import { graph, isPulseError, key, node, optional, retry, skipped, type } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { memoryStore } from "./memory-store.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { chainGraph, numberKey, start } from "./testing/graphs.ts";
import { deferred, turn, worker } from "./testing/worker.ts";

const made = numberKey("made");
const call = { runId: "run", version: "1" };

const addOne = (called: string[] = []) =>
  graph("add", {
    inputs: [start],
    outputs: [made],
    nodes: [
      node("add", { requires: [start], provides: [made] }, ({ start }, { path }) => {
        called.push(path);
        return { made: start + 1 };
      }),
    ],
  });

const failing = (error: unknown, called: string[] = []) =>
  graph("failing", {
    outputs: [made],
    nodes: [
      node("breaks", { provides: [made] }, (_values, { path }) => {
        called.push(path);
        throw error;
      }),
    ],
  });

test("DUR-1 run starts a run once: the same id again is a conflict, and runs nothing", async () => {
  const { pulse } = worker();
  const called: string[] = [];
  expect((await pulse.run(addOne(called), { start: 1 }, call)).values.made).toBe(2);
  const error = await rejectionOf("PULSE_CONFLICT", pulse.run(addOne(called), { start: 1 }, call));
  expect(error.details).toMatchObject({ runId: "run", next: "new-run-id" });
  expect(called).toEqual(["add"]);
});

test("DUR-1 DUR-12 resume of a run that is not there is PULSE_NOT_FOUND, and starts nothing", async () => {
  const { pulse, store } = worker();
  const error = await rejectionOf("PULSE_NOT_FOUND", pulse.resume(addOne(), { start: 1 }, call));
  expect(error.details).toMatchObject({ runId: "run", next: "start" });
  expect(store.saves).toEqual([]);
  expect(store.closed).toBe(1);
});

test("DUR-1 runOrResume starts a new run, and then goes on with it", async () => {
  const { pulse } = worker();
  const called: string[] = [];
  expect((await pulse.runOrResume(addOne(called), { start: 1 }, call)).values.made).toBe(2);
  expect((await pulse.runOrResume(addOne(called), { start: 1 }, call)).values.made).toBe(2);
  expect(called).toEqual(["add"]);
});

test("DUR-18 runOrResume starts no new run on any other error of load, and saves nothing", async () => {
  const memory = memoryStore();
  const { pulse, store } = worker({
    ...memory,
    acquire: async (runId) => ({
      ...(await memory.acquire(runId)),
      load: () => Promise.reject(new Error("the medium is gone")),
    }),
  });
  const error = await rejectionOf("PULSE_STORE", pulse.runOrResume(addOne(), { start: 1 }, call));
  expect(error.details).toMatchObject({ runId: "run", next: "mend-store" });
  expect(store.saves).toEqual([]);
  expect(await memory.catalog.count()).toBe(0);
});

test("DUR-3 a completed run gives its recorded outputs, runs nothing and saves nothing", async () => {
  const memory = memoryStore();
  const called: string[] = [];
  await worker(memory).pulse.run(addOne(called), { start: 41 }, call);
  const later = worker(memory);
  const outcome = await later.pulse.resume(addOne(called), { start: 41 }, { ...call, observers: [later.see] });
  expect(outcome.values.made).toBe(42);
  expect(called).toEqual(["add"]);
  expect(later.store.saves).toEqual([]);
  expect(later.events.map(({ kind }) => kind)).not.toContain("node-running");
  expect((await memory.catalog.read("run")).header).toMatchObject({ status: "completed", resumes: 0 });
});

test("DUR-3 a failed run fails with the same kind of error, without its cause, before any event, and keeps its revision", async () => {
  const memory = memoryStore();
  const called: string[] = [];
  const cause = new Error("no such page");
  const first = await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.run(failing(cause, called), {}, call));
  expect(first.cause).toBe(cause);
  expect(first.details).toMatchObject({ runId: "run", next: "new-run-id", path: "breaks" });
  const { revision } = (await memory.catalog.read("run")).header;

  const later = worker(memory);
  let built = 0;
  const options = { ...call, observers: [later.see], beforeStart: () => void (built += 1) };
  const again = await rejectionOf("PULSE_RUN_FAILED", later.pulse.resume(failing(cause, called), {}, options));
  expect("cause" in again).toBe(false);
  expect(again.message).not.toContain("no such page");
  expect(again.details).toMatchObject({ runId: "run", next: "new-run-id" });
  expect([called, built, later.events, later.store.closed]).toEqual([["breaks"], 0, [], 1]);
  expect((await memory.catalog.read("run")).header).toMatchObject({ revision, status: "failed", resumes: 0 });
});

test("DUR-3 the failure's text is recorded only if the host opted to keep it", async () => {
  const memory = memoryStore();
  const options = { ...call, keepFailure: true };
  await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.run(failing(new Error("no \uD800 page")), {}, options));
  expect((await memory.catalog.read("run")).header.failure).toBe("no \uFFFD page");
  const again = await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.resume(failing(0), {}, call));
  expect(again.message).toContain("no \uFFFD page");

  await rejectionOf(
    "PULSE_RUN_FAILED",
    worker(memory).pulse.run(failing(new Error("secret")), {}, { ...call, runId: "other" }),
  );
  expect(JSON.stringify((await memory.catalog.read("other")).header)).not.toContain("secret");
});

test("G9 DUR-12 CORE-43 whatever a body throws is the cause by identity", async () => {
  for (const thrown of ["text", undefined, Object.freeze(new Error("frozen"))]) {
    const error = await rejectionOf("PULSE_RUN_FAILED", worker().pulse.run(failing(thrown), {}, call));
    expect("cause" in error).toBe(true);
    expect(error.cause).toBe(thrown);
  }
});

test("D1 DUR-6 the same run with other inputs is refused as other inputs, and runs nothing", async () => {
  const memory = memoryStore();
  const called: string[] = [];
  await worker(memory).pulse.run(addOne(called), { start: 1 }, call);
  const later = worker(memory);
  for (const again of ["resume", "runOrResume"] as const) {
    const error = await rejectionOf("PULSE_INCOMPATIBLE", later.pulse[again](addOne(called), { start: 2 }, call));
    expect(error.details).toMatchObject({ runId: "run", what: "inputs", next: "same-definition" });
  }
  expect(called).toEqual(["add"]);
  expect([later.store.saves, later.store.closed]).toEqual([[], 2]);
});

test("CORE-41 DUR-6 a skipped input is told from every value, undefined included", async () => {
  const maybe = key("maybe", type<number | null>("maybe"));
  const seen: unknown[] = [];
  const asking = graph("asking", {
    inputs: [optional(maybe)],
    nodes: [node("ask", { requires: [optional(maybe)] }, ({ maybe }) => void seen.push(maybe))],
  });
  const memory = memoryStore();
  await worker(memory).pulse.run(asking, {}, call);
  expect((await worker(memory).pulse.resume(asking, { maybe: skipped }, call)).abandoned).toEqual([]);
  const error = await rejectionOf("PULSE_INCOMPATIBLE", worker(memory).pulse.resume(asking, { maybe: null }, call));
  expect(error.details.what).toBe("inputs");
  expect(seen).toEqual([undefined]);
});

test("DUR-24 start gives a handle once the execution has started, and beforeStart sees it before", async () => {
  const opened = deferred<number>();
  const waits = graph("waits", {
    outputs: [made],
    nodes: [node("wait", { provides: [made] }, async () => ({ made: await opened.promise }))],
  });
  const { pulse } = worker();
  const order: string[] = [];
  const handle = await pulse.start(
    waits,
    {},
    {
      ...call,
      beforeStart: (execution) => {
        order.push(`before ${execution.snapshot().state}`);
        execution.observe(({ kind, path }) => void order.push(`${kind} ${path}`.trim()));
      },
    },
  );
  expect(order.slice(0, 2)).toEqual(["before built", "execution-started"]);
  expect(handle.snapshot().state).toBe("running");
  opened.resolve(7);
  expect((await handle.wait()).values.made).toBe(7);
  expect(handle.snapshot().state).toBe("completed");
  await handle.close();
});

test("DUR-24 CKPT-14 cancelling by the handle interrupts: the attempt stays active, no budget is used, and a resume goes on", async () => {
  const memory = memoryStore();
  const begun = deferred();
  let hang = true;
  const waits = graph("waits", {
    outputs: [made],
    nodes: [
      node("wait", { provides: [made], aspects: [retry({ limit: 2 })] }, async (_values, { signal, attempt }) => {
        if (!hang) return { made: attempt };
        begun.resolve();
        return new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }),
    ],
  });
  const handle = await worker(memory).pulse.start(waits, {}, call);
  await begun.promise;
  const reason = { why: "deploy" };
  handle.cancel(reason);
  const error = await rejectionOf("PULSE_INTERRUPTED", handle.wait());
  expect(error.cause).toBe(reason);
  expect(error.details).toMatchObject({ runId: "run", next: "resume" });
  hang = false;
  expect((await worker(memory).pulse.resume(waits, {}, call)).values.made).toBe(1);
});

test("DUR-24 what beforeStart throws ends the call, starts nothing and closes the session", async () => {
  const memory = memoryStore();
  const { pulse, store } = worker(memory);
  const cause = new Error("no");
  const called: string[] = [];
  const beforeStart = (): void => {
    throw cause;
  };
  await expect(pulse.start(addOne(called), { start: 1 }, { ...call, beforeStart })).rejects.toBe(cause);
  expect([called, store.closed]).toEqual([[], 1]);
  // The run was never begun, so its id is still free.
  expect((await worker(memory).pulse.run(addOne(called), { start: 1 }, call)).values.made).toBe(2);
});

test("DUR-7 a body gets the run's id, its path, its attempt and an idempotency key", async () => {
  const seen: unknown[] = [];
  const asks = graph("asks", {
    nodes: [
      node("ask", { aspects: [retry({ limit: 2 })] }, (_values, { runId, path, attempt, idempotencyKey }) => {
        seen.push([runId, path, attempt, typeof idempotencyKey]);
        if (attempt === 1) throw new Error("again");
      }),
    ],
  });
  await worker().pulse.run(asks, {}, call);
  expect(seen).toEqual([
    ["run", "ask", 1, "string"],
    ["run", "ask", 2, "string"],
  ]);
});

test("CORE-46 an aborted host signal interrupts before anything is acquired", async () => {
  const { pulse, store } = worker();
  const reason = new Error("shutting down");
  const error = await rejectionOf(
    "PULSE_INTERRUPTED",
    pulse.run(addOne(), { start: 1 }, { ...call, signal: AbortSignal.abort(reason) }),
  );
  expect(error.cause).toBe(reason);
  expect(error.details).toMatchObject({ runId: "run", next: "start" });
  expect(store.acquired).toBe(0);
});

test("D2 DUR-12 a run that is owned already is busy for everybody else, and no body runs twice", async () => {
  const memory = memoryStore();
  const opened = deferred<number>();
  let calls = 0;
  const waits = graph("waits", {
    outputs: [made],
    nodes: [
      node("wait", { provides: [made] }, async () => {
        calls += 1;
        return { made: await opened.promise };
      }),
    ],
  });
  const [one, other] = [worker(memory), worker(memory)];
  const handle = await one.pulse.start(waits, {}, call);
  const error = await rejectionOf("PULSE_BUSY", other.pulse.runOrResume(waits, {}, call));
  expect(error.details).toMatchObject({ runId: "run", next: "later" });
  opened.resolve(1);
  await handle.wait();
  expect(calls).toBe(1);
});

test("DUR-12 bad options are refused before anything is acquired", async () => {
  const { pulse, store } = worker();
  for (const options of [
    { runId: "", version: "1" },
    { runId: "a\uD800", version: "1" },
    { runId: "run", version: "" },
  ]) {
    await rejectionOf("PULSE_INVALID", pulse.run(addOne(), { start: 1 }, options));
  }
  await rejectionOf("PULSE_INVALID", pulse.run(addOne(), {} as never, call));
  expect(store.acquired).toBe(0);
});

test("DUR-30 close interrupts the runs of this object, closes their sessions and the store, and refuses new ones", async () => {
  const begun = deferred();
  const waits = graph("waits", {
    nodes: [
      node("wait", {}, (_values, { signal }) => {
        begun.resolve();
        return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      }),
    ],
  });
  const { store } = worker();
  const order: string[] = [];
  const pulse = durable({
    store: {
      ...store,
      close: async () => void order.push(`store closed after ${store.closed} session`),
    },
  });
  const running = pulse.run(waits, {}, call);
  const ended = rejectionOf("PULSE_INTERRUPTED", running);
  await begun.promise;
  await pulse.close();
  expect((await ended).details.next).toBe("resume");
  expect(order).toEqual(["store closed after 1 session"]);
  await rejectionOf("PULSE_USAGE", pulse.run(waits, {}, { ...call, runId: "other" }));
  await pulse.close();
  expect(order).toHaveLength(1);
});

test("a graph without nodes is completed by its first save, and its outcome is its inputs", async () => {
  const memory = memoryStore();
  const through = graph("through", { inputs: [start], outputs: [start], nodes: [] });
  expect((await worker(memory).pulse.run(through, { start: 5 }, call)).values.start).toBe(5);
  expect((await worker(memory).pulse.resume(through, { start: 5 }, call)).values.start).toBe(5);
  expect((await memory.catalog.read("run")).header).toMatchObject({ status: "completed", revision: 1 });
});

test("many runs of one graph go on at once, each by itself", async () => {
  const memory = memoryStore();
  const { pulse } = worker(memory);
  const { graph: chain } = chainGraph(3);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, at) => pulse.run(chain, { start: at }, { runId: `run ${at}`, version: "1" })),
  );
  expect(outcomes.map(({ values }) => (values as Record<string, number>)["link2"])).toEqual(
    Array.from({ length: 20 }, (_, at) => at + 3),
  );
  await turn();
  expect(await memory.catalog.count({ status: "completed" })).toBe(20);
  expect(isPulseError(await pulse.inspect("none").catch((error: unknown) => error), "PULSE_NOT_FOUND")).toBe(true);
});
