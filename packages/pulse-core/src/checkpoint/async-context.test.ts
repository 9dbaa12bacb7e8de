import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { aspect, graph, mount, node, retry } from "../index.ts";
import { checkpointed } from "../testing/checkpointed.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import type { CheckpointHooks } from "./hooks.ts";

const given = numberKey("given");
const a = numberKey("a");
const b = numberKey("b");
const c = numberKey("c");
const storage = new AsyncLocalStorage<string>();

/** Runs what is inside it with the node's path as the storage's value. */
const tracing = aspect("tracing", (context, next) => storage.run(`in ${context.path}`, next));

/** Notes the storage's value at each hook call, and settles the calls in batches, out of a context of its own. */
function batchingHooks() {
  const hooks = recordingHooks();
  const seen: string[] = [];
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    const batch = waiting;
    waiting = [];
    for (const settle of batch) settle();
  };
  const batched = async <Result>(name: string, call: () => Promise<Result>): Promise<Result> => {
    seen.push(`${name}: ${storage.getStore()}`);
    if (waiting.length === 0) storage.run("batch", () => void setImmediate(flush));
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return call();
  };
  const wrapped: CheckpointHooks = {
    openAttempt: (request) =>
      batched(`openAttempt ${request.path}${request.boundary}`, () => hooks.openAttempt(request)),
    failAttempt: (id, call) => batched(`failAttempt ${id}`, () => hooks.failAttempt(id, call)),
    openChild: (request) => batched(`openChild ${request.path}`, () => hooks.openChild(request)),
    prepare: (result) => (seen.push(`prepare ${result.path}: ${storage.getStore()}`), hooks.prepare?.(result)),
    commit: (request) => batched(`commit ${request.path}`, () => hooks.commit(request)),
  };
  return { hooks: wrapped, seen };
}

test("CKPT-33 a hook is called in the context of the node that caused it, and a body goes on in its own after it, batched saves included", async () => {
  const { hooks, seen } = batchingHooks();
  const bodies: string[] = [];
  const note = (path: string): void => void bodies.push(`${path}: ${storage.getStore()}`);
  const both = graph("both", {
    outputs: [a, b, c],
    nodes: [
      node("one", { provides: [a], aspects: [tracing, retry({ limit: 2 })] }, (_values, { attempt, path }) => {
        note(path);
        if (attempt === 1) throw new Error("again");
        return { a: 1 };
      }),
      node("two", { provides: [b] }, async (_values, { path }) => {
        note(path);
        await turn();
        note(path);
        return { b: 2 };
      }),
      node(
        "three",
        { requires: [a, b], provides: [c], aspects: [tracing] },
        (values, { path }) => (note(path), { c: values.a + values.b }),
      ),
    ],
  });
  const running = checkpointed(both, {}, hooks);
  storage.run("host", () => running.start());
  expect((await running.wait()).values.c).toBe(3);
  expect(bodies.toSorted()).toEqual(["one: in one", "one: in one", "three: in three", "two: host", "two: host"]);
  // Root attempts and commits belong to the whole chain, which is outside all aspects; tries belong to the place of their retry.
  expect(seen.toSorted()).toEqual(
    [
      "openAttempt one: host",
      "openAttempt one1: in one",
      "failAttempt root/one@1#1: in one",
      "openAttempt one1: in one",
      "prepare one: host",
      "commit one: host",
      "openAttempt two: host",
      "prepare two: host",
      "commit two: host",
      "openAttempt three: host",
      "prepare three: host",
      "commit three: host",
    ].toSorted(),
  );
});

test("CKPT-33 the nodes of a child are in the context of its mount, whoever gives them their last input", async () => {
  const { hooks, seen } = batchingHooks();
  const gate = deferred();
  const bodies: string[] = [];
  const child = graph("child", {
    inputs: [given],
    outputs: [a],
    nodes: [
      node(
        "early",
        { provides: [b] },
        (_values, { path }) => (bodies.push(`${path}: ${storage.getStore()}`), { b: 1 }),
      ),
      node("late", { requires: [given, b], provides: [a] }, (values, { path }) => {
        bodies.push(`${path}: ${storage.getStore()}`);
        return { a: values.given };
      }),
    ],
  });
  const outer = graph("outer", {
    outputs: [a],
    nodes: [
      node("source", { provides: [given] }, async () => (await gate.promise, { given: 2 })),
      mount("m", child, { aspects: [tracing] }),
    ],
  });
  const running = checkpointed(outer, {}, hooks);
  storage.run("host", () => running.start());
  while (!bodies.includes("m/early: in m")) await turn();
  gate.resolve();
  await running.wait();
  expect(bodies).toEqual(["m/early: in m", "m/late: in m"]);
  expect(seen.filter((line) => line.includes("m/"))).toEqual([
    "openAttempt m/early: in m",
    "prepare m/early: in m",
    "commit m/early: in m",
    "openAttempt m/late: in m",
    "prepare m/late: in m",
    "commit m/late: in m",
  ]);
});

test("CKPT-33 CORE-18 a node that gets the place of another goes on in its own context", async () => {
  const { hooks, seen } = batchingHooks();
  const bodies: string[] = [];
  const child = graph("child", {
    outputs: [a],
    nodes: [
      node(
        "inner",
        { provides: [a] },
        (_values, { path }) => (bodies.push(`${path}: ${storage.getStore()}`), { a: 1 }),
      ),
    ],
  });
  const outer = graph("outer", {
    outputs: [a, b],
    nodes: [
      mount("m", child, { aspects: [tracing] }),
      node(
        "blocker",
        { provides: [c] },
        async (_values, { path }) => (bodies.push(`${path}: ${storage.getStore()}`), await turn(), { c: 1 }),
      ),
      node(
        "waits",
        { requires: [c], provides: [b] },
        (_values, { path }) => (bodies.push(`${path}: ${storage.getStore()}`), { b: 2 }),
      ),
      node("also", {}, (_values, { path }) => void bodies.push(`${path}: ${storage.getStore()}`)),
    ],
  });
  const running = checkpointed(outer, {}, hooks, { concurrency: 1 });
  storage.run("host", () => running.start());
  await running.wait();
  expect(bodies.toSorted()).toEqual(["also: host", "blocker: host", "m/inner: in m", "waits: host"]);
  expect(seen.filter((line) => !line.includes("m/") && line.includes("in m"))).toEqual(["openChild m: in m"]);
  expect(seen.filter((line) => line.includes("m/") && !line.includes("in m"))).toEqual([]);
});
