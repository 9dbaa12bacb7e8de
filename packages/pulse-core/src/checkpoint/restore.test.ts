import { expect, test } from "vitest";
import { aspect, execution, graph, mount, node, optional, retry, skipped } from "../index.ts";
import type { Execution } from "../index.ts";
import { checkpointed, resumed, runCheckpointed } from "../testing/checkpointed.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";
import { restoreNodes } from "./index.ts";
import type { RestoredNode, RestorePlan } from "./index.ts";

const given = numberKey("given");
const a = numberKey("a");
const b = numberKey("b");
const c = numberKey("c");

/** Nodes `first`, `second` and `third` in a chain; `bodies` notes which ran. */
function chain(bodies: string[]) {
  return graph("chain", {
    inputs: [given],
    outputs: [a, b, c],
    nodes: [
      node("first", { requires: [given], provides: [a] }, (values) => (bodies.push("first"), { a: values.given + 1 })),
      node("second", { requires: [a], provides: [b] }, (values) => (bodies.push("second"), { b: values.a + 1 })),
      node("third", { requires: [b], provides: [c] }, (values) => (bodies.push("third"), { c: values.b + 1 })),
    ],
  });
}

const value = (name: string, number: number) => ({ name, state: "ready", read: () => number }) as const;
const first: RestoredNode = { nodeId: "first", reason: "completed", outputs: [value("a", 10)] };
const second: RestoredNode = { nodeId: "second", reason: "completed", outputs: [value("b", 20)] };

/** A plan as a caller without types may give it. */
const untyped = (plan: unknown): RestorePlan => plan as RestorePlan;

function problemsOf(plan: RestorePlan): readonly string[] {
  const running = checkpointed(chain([]), { given: 1 }, recordingHooks());
  const error = expectCode(
    thrownBy(() => restoreNodes(running as Execution<unknown>, plan)),
    "PULSE_INVALID",
  );
  for (const problem of error.details.problems) expect(problem.code).toBe("PULSE_PLAN_INVALID");
  return error.details.problems.map(({ path }) => path);
}

test.each<readonly [string, RestorePlan, readonly string[]]>([
  ["a node that the graph does not have", { nodes: [{ ...first, nodeId: "other" }] }, ["chain/other"]],
  ["one node twice", { nodes: [first, first] }, ["chain/first"]],
  ["a reason that no confirmed node has", untyped({ nodes: [{ ...first, reason: "failed" }] }), ["chain/first"]],
  ["an output too few", { nodes: [{ ...first, outputs: [] }] }, ["chain/first"]],
  ["an output too many", { nodes: [{ ...first, outputs: [value("a", 1), value("b", 2)] }] }, ["chain/first"]],
  ["an output twice", { nodes: [{ ...first, outputs: [value("a", 1), value("a", 2)] }] }, ["chain/first"]],
  ["a pending output", untyped({ nodes: [{ ...first, outputs: [{ name: "a", state: "pending" }] }] }), ["chain/first"]],
  [
    "an output that cannot be read",
    untyped({ nodes: [{ ...first, outputs: [{ name: "a", state: "ready" }] }] }),
    ["chain/first"],
  ],
  [
    "an output of another type",
    { nodes: [{ ...first, outputs: [{ ...value("a", 1), type: b.type }] }] },
    ["chain/first"],
  ],
  ["a value of a skipped node", { nodes: [{ ...first, reason: "skipped" }] }, ["chain/first"]],
  ["a node whose plain dependency is not restored", { nodes: [second] }, ["chain/second"]],
  ["several things at once", { nodes: [second, { ...first, nodeId: "other" }] }, ["chain/other", "chain/second"]],
  ["an input that the graph does not have", { nodes: [], inputs: new Map([["other", () => 1]]) }, ["chain/"]],
])("CKPT-24 a plan is checked as a whole: %s is refused by path", (_what, plan, paths) => {
  expect(problemsOf(plan)).toEqual(paths);
});

test("CKPT-24 CKPT-8 a bad plan is a ValidationError before the start; nothing has started and no hook is called", () => {
  const hooks = recordingHooks();
  const running = checkpointed(chain([]), { given: 1 }, hooks);
  expectCode(
    thrownBy(() => restoreNodes(running as Execution<unknown>, { nodes: [second] })),
    "PULSE_INVALID",
  );
  expect(running.snapshot().state).toBe("built");
  expect(hooks.calls).toEqual([]);
});

test("CKPT-24 a type that is given is compared by identity with the key's", async () => {
  const bodies: string[] = [];
  const running = checkpointed(chain(bodies), { given: 1 }, recordingHooks());
  restoreNodes(running as Execution<unknown>, {
    nodes: [{ ...first, outputs: [{ ...value("a", 10), type: a.type }] }],
  });
  running.start();
  expect((await running.wait()).values.c).toBe(12);
  expect(bodies).toEqual(["second", "third"]);
});

test("CKPT-24 a good plan replaces the earlier one, a bad one leaves it", async () => {
  const bodies: string[] = [];
  const running = checkpointed(chain(bodies), { given: 1 }, recordingHooks()) as Execution<unknown>;
  restoreNodes(running, { nodes: [first, second] });
  restoreNodes(running, { nodes: [first] });
  expectCode(
    thrownBy(() => restoreNodes(running, { nodes: [second] })),
    "PULSE_INVALID",
  );
  running.start();
  await running.wait();
  expect(bodies).toEqual(["second", "third"]);
});

test("CKPT-24 after the start a plan is an error, and without checkpoints too", async () => {
  const running = checkpointed(chain([]), { given: 1 }, recordingHooks()) as Execution<unknown>;
  running.start();
  expect(
    expectCode(
      thrownBy(() => restoreNodes(running, { nodes: [] })),
      "PULSE_USAGE",
    ).details.rule,
  ).toBe("CKPT-24");
  await running.wait();
  const plain = execution(chain([]), { given: 1 }) as Execution<unknown>;
  expect(
    expectCode(
      thrownBy(() => restoreNodes(plain, { nodes: [] })),
      "PULSE_USAGE",
    ).details.rule,
  ).toBe("CKPT-24");
});

test("CKPT-38 giving a plan installs nothing", () => {
  const log = eventLog();
  const running = checkpointed(chain([]), { given: 1 }, recordingHooks(), {
    observers: [log.observer],
  }) as Execution<unknown>;
  restoreNodes(running, { nodes: [first] });
  const { nodes, keys } = running.snapshot();
  expect(nodes.map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"]);
  expect(keys.filter(({ state }) => state === "ready").map(({ name }) => name)).toEqual(["given"]);
  expect(log.events).toEqual([]);
});

test("CKPT-38 the start checks the plan again; a bad last record installs nothing of the earlier ones", async () => {
  const bodies: string[] = [];
  const hooks = recordingHooks();
  const log = eventLog();
  const host = fakeHost();
  const controller = new AbortController();
  const running = checkpointed(chain(bodies), { given: 1 }, hooks, {
    observers: [log.observer],
    signal: controller.signal,
    timeout: 1_000,
    host,
  }) as Execution<unknown>;
  const nodes = [first, second];
  restoreNodes(running, { nodes });
  nodes[1] = { ...second, outputs: [] };
  expect(
    expectCode(
      thrownBy(() => running.start()),
      "PULSE_INVALID",
    ).details.problems.map(({ path }) => path),
  ).toEqual(["chain/second"]);
  expect(running.snapshot().nodes.map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"]);
  expect(
    running
      .snapshot()
      .keys.filter(({ state }) => state === "ready")
      .map(({ name }) => name),
  ).toEqual(["given"]);
  expect([log.events, hooks.calls, bodies]).toEqual([[], [], []]);
  // What the start had armed is gone with it.
  expect(host.armed).toBe(0);
  // A good plan mends it.
  restoreNodes(running, { nodes: [first] });
  running.start();
  await running.wait();
  expect(bodies).toEqual(["second", "third"]);
  expect(host.armed).toBe(0);
});

test("CKPT-25 a restored node runs no body, no aspect and no commit; it has one finished event, after the start", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const notes: string[] = [];
  const noting = aspect("noting", (context, next) => (notes.push(context.path), next()));
  const running = checkpointed(chain(notes), { given: 1 }, hooks, {
    observers: [log.observer],
    aspects: [noting, retry({ limit: 2 })],
  });
  restoreNodes(running as Execution<unknown>, { nodes: [second, first] });
  running.start();
  expect((await running.wait()).values).toMatchObject({ a: 10, b: 20, c: 21 });
  expect(notes).toEqual(["third", "third"]);
  expect(hooks.calls).toEqual(["openAttempt root/third", "openAttempt root/third@1#1", "commit root/third"]);
  expect(log.lines("", "first", "second")).toEqual([
    "execution-started",
    "node-finished first",
    "node-finished second",
    "execution-finished",
  ]);
  expect(log.events.filter(({ path }) => path === "first")).toMatchObject([{ reason: "completed", restored: true }]);
});

test("CKPT-25 a restored mount says nothing about its child, and skipped nodes restore as skipped", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const child = graph("child", { outputs: [a], nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))] });
  const outer = graph("outer", {
    outputs: [a, b],
    nodes: [mount("m", child), node("after", { requires: [a], provides: [b] }, (values) => ({ b: values.a }))],
  });
  const running = checkpointed(outer, {}, hooks, { observers: [log.observer] });
  restoreNodes(running as Execution<unknown>, {
    nodes: [{ nodeId: "m", reason: "completed", outputs: [{ name: "a", state: "skipped" }] }],
  });
  running.start();
  expect((await running.wait()).outputs).toEqual({ a: { state: "skipped" }, b: { state: "skipped" } });
  expect(log.lines().filter((line) => line.includes(" m"))).toEqual(["node-finished m"]);
  expect(hooks.calls).toEqual(["openAttempt root/after", "commit root/after"]);
});

test("CKPT-25 a run whose nodes are all restored calls no hook and completes", async () => {
  const hooks = recordingHooks();
  const bodies: string[] = [];
  await runCheckpointed(chain(bodies), { given: 1 }, hooks);
  const again = resumed(chain(bodies), { given: 1 }, hooks.record);
  again.running.start();
  expect((await again.running.wait()).values).toMatchObject({ a: 2, b: 3, c: 4 });
  expect([bodies, again.hooks.calls]).toEqual([["first", "second", "third"], []]);
});

test("CKPT-25 CORE-37 a restored execution that is cancelled before its start tells its restored nodes and cancels the rest", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const running = checkpointed(chain([]), { given: 1 }, hooks, {
    observers: [log.observer],
    signal: AbortSignal.abort("enough"),
  });
  restoreNodes(running as Execution<unknown>, { nodes: [first] });
  running.start();
  expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).cause).toBe("enough");
  expect(["first", "second", "third"].map(log.reasonOf)).toEqual(["completed", "canceled", "canceled"]);
  expect(hooks.calls).toEqual([]);
});

test("CKPT-24 CKPT-36 root inputs of the plan are read in the place of what the host gave; a skipped one stays skipped", async () => {
  const seen: unknown[] = [];
  const reading = graph("reading", {
    inputs: [given, optional(b)],
    outputs: [a],
    nodes: [
      node("n", { requires: [given, optional(b)], provides: [a] }, (values) => {
        seen.push(values.given, values.b);
        return { a: 1 };
      }),
    ],
  });
  const running = checkpointed(reading, { given: 1, b: skipped }, recordingHooks());
  restoreNodes(running as Execution<unknown>, {
    nodes: [],
    inputs: new Map([
      ["given", () => 100],
      ["b", () => 200],
    ]),
  });
  running.start();
  await running.wait();
  expect(seen).toEqual([100, undefined]);
});

/** A mount whose child has two nodes, the second of which the run is stopped at. */
function mounted(notes: string[]) {
  const child = graph("child", {
    outputs: [a, b],
    nodes: [
      node("one", { provides: [a] }, () => (notes.push("one"), { a: 1 })),
      node("two", { requires: [a], provides: [b] }, (values) => (notes.push("two"), { b: values.a + 1 })),
    ],
  });
  const noting = aspect("noting", (context, next) => (notes.push(`aspect ${context.path}`), next()));
  return graph("outer", {
    outputs: [a, c],
    nodes: [
      mount("m", child, { aspects: [noting, retry({ limit: 2 })] }),
      node("after", { requires: [b], provides: [c] }, (values) => (notes.push("after"), { c: values.b + 1 })),
    ],
  });
}

test("CKPT-29 a mount that was not confirmed runs its chain again: confirmed children are restored, its outputs pass outward again", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  hooks.fail("commit", "root/m@1#1/two", new Error("down"));
  await rejectionOf(runCheckpointed(mounted([]), {}, hooks), "PULSE_CHECKPOINT");
  const notes: string[] = [];
  const again = resumed(mounted(notes), {}, hooks.record, { observers: [log.observer] });
  again.running.start();
  expect((await again.running.wait()).values).toMatchObject({ a: 1, c: 3 });
  expect(notes).toEqual(["aspect m", "two", "after"]);
  expect(again.hooks.calls).toEqual([
    "openAttempt root/m",
    "openAttempt root/m@1#1",
    "openChild root/m@1#1",
    "openAttempt root/m@1#1/two",
    "commit root/m@1#1/two",
    "commit root/m",
    "openAttempt root/after",
    "commit root/after",
  ]);
  expect(log.lines("m/one")).toEqual(["node-finished m/one"]);
});

test("CKPT-29 a mount whose children are all confirmed runs no body at all", async () => {
  const hooks = recordingHooks();
  hooks.fail("commit", "root/m", new Error("down"));
  await rejectionOf(runCheckpointed(mounted([]), {}, hooks), "PULSE_CHECKPOINT");
  const notes: string[] = [];
  const again = resumed(mounted(notes), {}, hooks.record);
  again.running.start();
  expect((await again.running.wait()).values).toMatchObject({ a: 1, c: 3 });
  expect(notes).toEqual(["aspect m", "after"]);
});

test("CKPT-29 CKPT-4 a restored child with a pass-through output waits for its input as before", async () => {
  const hooks = recordingHooks();
  const passing = graph("passing", {
    inputs: [given],
    outputs: [given, a],
    nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))],
  });
  const outer = graph("outer", {
    outputs: [a, c],
    nodes: [
      node("late", { provides: [b] }, () => ({ b: 2 })),
      mount("m", passing, { in: { given: b }, out: { given: c, a } }),
    ],
  });
  hooks.fail("commit", "root/m", new Error("down"));
  await rejectionOf(runCheckpointed(outer, {}, hooks), "PULSE_CHECKPOINT");
  const again = resumed(outer, {}, hooks.record);
  again.running.start();
  expect((await again.running.wait()).values).toMatchObject({ a: 1, c: 2 });
  expect(again.hooks.callsOf("openAttempt")).toEqual(["root/m"]);
});

test("CKPT-26 a mount's requires is wiring, not a gate: it restores although its sources are not", async () => {
  const hooks = recordingHooks();
  const bodies: string[] = [];
  const child = graph("child", {
    inputs: [optional(b)],
    outputs: [a],
    nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))],
  });
  const outer = graph("outer", {
    outputs: [a, b],
    nodes: [node("source", { provides: [b] }, () => (bodies.push("source"), { b: 2 })), mount("m", child)],
  });
  const running = checkpointed(outer, {}, hooks);
  restoreNodes(running as Execution<unknown>, {
    nodes: [{ nodeId: "m", reason: "completed", outputs: [value("a", 10)] }],
  });
  running.start();
  expect((await running.wait()).values).toMatchObject({ a: 10, b: 2 });
  expect(bodies).toEqual(["source"]);
});
