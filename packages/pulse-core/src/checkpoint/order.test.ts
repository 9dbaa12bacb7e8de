import { expect, test } from "vitest";
import { aspect, graph, mount, node, optional, retry, run, skipped } from "../index.ts";
import { checkpointed, runCheckpointed } from "../testing/checkpointed.ts";
import { deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const given = numberKey("given");
const a = numberKey("a");
const b = numberKey("b");
const c = numberKey("c");

test("CKPT-1 attempt, chain, check, commit, publication: in this order, and downstream sees nothing before", async () => {
  const hooks = recordingHooks();
  const steps: string[] = [];
  const pair = graph("pair", {
    outputs: [b],
    nodes: [
      node("make", { provides: [a] }, () => (steps.push("body make"), { a: 1 })),
      node("use", { requires: [a], provides: [b] }, (values) => (steps.push("body use"), { b: values.a + 1 })),
    ],
  });
  const opened = hooks.hold("openAttempt", "root/make");
  const saving = hooks.hold("commit", "root/make");
  const running = checkpointed(pair, {}, hooks);
  const pendingStates = (): string =>
    running
      .snapshot()
      .keys.map(({ name, state }) => `${name} ${state}`)
      .join();
  running.start();
  await opened.reached;
  await turn();
  expect(steps).toEqual([]);
  opened.release();
  await saving.reached;
  await turn();
  expect(steps).toEqual(["body make"]);
  expect(pendingStates()).toBe("a pending,b pending");
  saving.release();
  expect((await running.wait()).values.b).toBe(2);
  expect(steps).toEqual(["body make", "body use"]);
  expect(hooks.calls).toEqual(["openAttempt root/make", "commit root/make", "openAttempt root/use", "commit root/use"]);
});

test("CKPT-1 what a body leaves unwritten is committed as skipped, in the order of provides", async () => {
  const hooks = recordingHooks();
  const some = graph("some", {
    outputs: [a, b, c],
    nodes: [node("n", { provides: [c, a, b] }, (_values, { skip }) => skip())],
  });
  const outcome = await runCheckpointed(some, {}, hooks, { overrides: { nodes: { n: () => ({ c: 3 }) } } });
  expect(hooks.record.lines).toEqual(["root/n completed c=3 a skipped b skipped"]);
  expect(outcome.outputs).toEqual({
    a: { state: "skipped" },
    b: { state: "skipped" },
    c: { state: "ready", value: 3 },
  });
});

test("CKPT-1 an early write is held back until the whole node is confirmed", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  let used = 0;
  const early = graph("early", {
    outputs: [b],
    nodes: [
      node("n", { provides: [a] }, async (_values, { set }) => {
        const settled = set(a, 1);
        await gate.promise;
        return { a: settled };
      }),
      node("use", { requires: [a], provides: [b] }, (values) => (used++, { b: values.a })),
    ],
  });
  const running = runCheckpointed(early, {}, hooks);
  await turn();
  expect([used, hooks.callsOf("commit")]).toEqual([0, []]);
  gate.resolve();
  expect((await running).values.b).toBe(1);
});

test("CKPT-35 a result that the check refuses is the node's business failure, and nothing of it is published", async () => {
  const hooks = recordingHooks();
  const refused = new Error("does not fit");
  let used = 0;
  const pair = graph("pair", {
    outputs: [b],
    nodes: [
      node("n", { provides: [a] }, () => ({ a: 1 })),
      node("use", { requires: [a], provides: [b] }, (values) => (used++, { b: values.a })),
    ],
  });
  const running = checkpointed(
    pair,
    {},
    {
      ...hooks,
      prepare: () => {
        throw refused;
      },
    },
  );
  running.start();
  const error = await rejectionOf(running.wait(), "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(refused);
  expect(hooks.calls).toEqual(["openAttempt root/n", "failAttempt root/n"]);
  expect(used).toBe(0);
  expect(running.snapshot().keys.every(({ state }) => state === "pending")).toBe(true);
});

test("CKPT-35 a key that a chain writes twice is refused, whoever writes it", async () => {
  const hooks = recordingHooks();
  const twice = aspect("twice", async (context, next) => {
    await next();
    context.set(a, 2);
  });
  const one = graph("one", { outputs: [a], nodes: [node("n", { provides: [a], aspects: [twice] }, () => ({ a: 1 }))] });
  const error = await rejectionOf(runCheckpointed(one, {}, hooks), "PULSE_EXECUTION_FAILED");
  expect(expectCode(error.cause, "PULSE_USAGE").details).toMatchObject({ rule: "CORE-9", key: "a" });
  expect(hooks.callsOf("commit")).toEqual([]);
});

test("CKPT-2 an inner retry that succeeded publishes nothing if an outer aspect then fails", async () => {
  const hooks = recordingHooks();
  const late = new Error("late");
  const failing = aspect("failing", async (_context, next) => {
    await next();
    throw late;
  });
  const one = graph("one", {
    outputs: [a],
    nodes: [node("n", { provides: [a], aspects: [failing, retry({ limit: 2 })] }, () => ({ a: 1 }))],
  });
  const running = checkpointed(one, {}, hooks);
  running.start();
  expect((await rejectionOf(running.wait(), "PULSE_EXECUTION_FAILED")).cause).toBe(late);
  expect(hooks.callsOf("commit")).toEqual([]);
  expect(running.snapshot().keys).toMatchObject([{ name: "a", state: "pending" }]);
});

test("CKPT-3 skipped nodes and nodes with no outputs commit too", async () => {
  const hooks = recordingHooks();
  const all = graph("all", {
    inputs: [optional(given)],
    outputs: [a, b, c],
    nodes: [
      node("waits", { requires: [given], provides: [a] }, (values) => ({ a: values.given })),
      node("raises", { provides: [b] }, (_values, { skip }) => skip()),
      node("reads", { requires: [optional(given), b], provides: [c] }, (values) => ({ c: values.b })),
      node("silent", {}, () => {}),
    ],
  });
  const outcome = await runCheckpointed(all, { given: skipped }, hooks);
  expect(outcome.outputs).toEqual({ a: { state: "skipped" }, b: { state: "skipped" }, c: { state: "skipped" } });
  expect(hooks.record.lines.toSorted()).toEqual([
    "root/raises skipped b skipped",
    "root/reads skipped c skipped",
    "root/silent completed",
    "root/waits skipped a skipped",
  ]);
});

test("CKPT-4 a node that answers by short cut commits like any other", async () => {
  const hooks = recordingHooks();
  let bodies = 0;
  const cached = aspect("cached", (context) => void context.set(a, 7));
  const one = graph("one", {
    outputs: [a],
    nodes: [node("n", { provides: [a], aspects: [cached] }, () => (bodies++, { a: 1 }))],
  });
  expect((await runCheckpointed(one, {}, hooks)).values.a).toBe(7);
  expect([bodies, hooks.record.lines]).toEqual([0, ["root/n completed a=7"]]);
});

test("CKPT-4 CORE-5 a chain starts, and its attempt is opened, only when what it requires is confirmed", async () => {
  const hooks = recordingHooks();
  const saving = hooks.hold("commit", "root/second", "after");
  const join = graph("join", {
    outputs: [c],
    nodes: [
      node("first", { provides: [a] }, () => ({ a: 1 })),
      node("second", { provides: [b] }, () => ({ b: 2 })),
      node("join", { requires: [a, b], provides: [c] }, (values) => ({ c: values.a + values.b })),
    ],
  });
  const running = runCheckpointed(join, {}, hooks);
  await saving.reached;
  await turn();
  expect(hooks.callsOf("commit")).toEqual(["root/first", "root/second"]);
  expect(hooks.callsOf("openAttempt")).not.toContain("root/join");
  saving.release();
  expect((await running).values.c).toBe(3);
});

test("CKPT-4 CORE-20 a mount's chain starts at once and commits when its child has ended, whichever unused input is pending", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const child = graph("child", {
    inputs: [given, optional(b)],
    outputs: [a],
    nodes: [node("inner", { requires: [given], provides: [a] }, (values) => ({ a: values.given }))],
  });
  const outer = graph("outer", {
    inputs: [given],
    outputs: [a, b],
    nodes: [mount("m", child), node("late", { provides: [b] }, async () => (await gate.promise, { b: 2 }))],
  });
  const running = runCheckpointed(outer, { given: 1 }, hooks);
  await turn();
  expect(hooks.record.lines).toEqual(["root/m/inner completed a=1", "root/m completed a=1"]);
  expect(await hasSettled(running)).toBe(false);
  gate.resolve();
  expect((await running).values).toMatchObject({ a: 1, b: 2 });
});

test("CKPT-4 CORE-48 a mount does not commit while a pass-through output is pending", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const passing = graph("passing", {
    inputs: [b],
    outputs: [a, b],
    nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))],
  });
  const outer = graph("outer", {
    outputs: [a, c],
    nodes: [
      mount("m", passing, { out: { a, b: c } }),
      node("late", { provides: [b] }, async () => (await gate.promise, { b: 2 })),
    ],
  });
  const running = runCheckpointed(outer, {}, hooks);
  await turn();
  expect(hooks.callsOf("commit")).toEqual(["root/m/inner"]);
  gate.resolve();
  expect((await running).values).toMatchObject({ a: 1, c: 2 });
  expect(hooks.record.lines).toContain("root/m completed a=1 c=2");
});

test("CKPT-5 one commit holds the end state and all outputs of a node", async () => {
  const hooks = recordingHooks();
  const many = graph("many", {
    outputs: [a, b, c],
    nodes: [
      node("n", { provides: [a, b, c] }, async (_values, { set, skip }) => {
        const first = set(a, 1);
        await turn();
        return { a: first, b: 2, c: skip(c) };
      }),
    ],
  });
  await runCheckpointed(many, {}, hooks);
  expect(hooks.callsOf("commit")).toEqual(["root/n"]);
  expect(hooks.record.lines).toEqual(["root/n completed a=1 b=2 c skipped"]);
});

test("CKPT-6 neither cancellation nor another node's failure re-judges a node whose commit is under way", async () => {
  for (const disturb of ["cancel", "sibling"] as const) {
    const hooks = recordingHooks();
    const log = eventLog();
    const gate = deferred();
    const both = graph("both", {
      outputs: [a],
      nodes: [
        node("n", { provides: [a] }, () => ({ a: 1 })),
        node("bad", {}, async () => {
          await gate.promise;
          throw new Error("bad");
        }),
      ],
    });
    const saving = hooks.hold("commit", "root/n");
    const running = checkpointed(both, {}, hooks, { observers: [log.observer] });
    running.start();
    await saving.reached;
    if (disturb === "cancel") running.cancel(new Error("enough"));
    gate.resolve();
    await turn();
    saving.release();
    await rejectionOf(running.wait(), disturb === "cancel" ? "PULSE_INTERRUPTED" : "PULSE_EXECUTION_FAILED");
    expect(log.reasonOf("n")).toBe("completed");
    expect(hooks.record.lines).toEqual(["root/n completed a=1"]);
    expect(running.snapshot().keys).toMatchObject([{ state: "ready" }]);
  }
});

test("CKPT-6 an error object that an earlier node failed with is judged anew when it is thrown again", async () => {
  const hooks = recordingHooks();
  const shared = new Error("shared");
  const remembering = aspect("remembering", (context, next) => next().catch(() => void context.set(a, 1)));
  const reused = graph("reused", {
    outputs: [a, b],
    nodes: [
      node("first", { provides: [a], aspects: [remembering, retry({ limit: 1 })] }, () => {
        throw shared;
      }),
      node("second", { requires: [a], provides: [b], aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        if (attempt === 1) throw shared;
        return { b: 2 };
      }),
    ],
  });
  expect((await runCheckpointed(reused, {}, hooks)).values).toMatchObject({ a: 1, b: 2 });
  expect(hooks.callsOf("failAttempt")).toEqual(["root/first@1#1", "root/second@0#1"]);
});

test("CKPT-7 checkpoints hold for the whole tree: children of children go by them too", async () => {
  const hooks = recordingHooks();
  const leaf = graph("leaf", { outputs: [a], nodes: [node("deep", { provides: [a] }, () => ({ a: 1 }))] });
  const middle = graph("middle", { outputs: [a], nodes: [mount("inner", leaf)] });
  const outer = graph("outer", { outputs: [a], nodes: [mount("m", middle)] });
  await runCheckpointed(outer, {}, hooks);
  expect(hooks.record.lines).toEqual([
    "root/m/inner/deep completed a=1",
    "root/m/inner completed a=1",
    "root/m completed a=1",
  ]);
  expect([...hooks.record.scopes]).toEqual(["root/m", "root/m/inner"]);
});

test("CKPT-1 the same graph gives the same outcome with and without checkpoints", async () => {
  const hooks = recordingHooks();
  const both = graph("both", {
    inputs: [given, optional(b)],
    outputs: [a, b, c],
    nodes: [
      node("first", { requires: [given], provides: [a] }, (values) => ({ a: values.given + 1 })),
      node("second", { requires: [a, optional(b)], provides: [c] }, (values) => ({ c: values.a + (values.b ?? 10) })),
    ],
  });
  const plain = await run(both, { given: 1 });
  expect((await runCheckpointed(both, { given: 1 }, hooks)).outputs).toEqual(plain.outputs);
});

test("CKPT-6 CKPT-3 a skip that is being confirmed is not cancelled by a stop: the end waits, and the verdict is the confirmed one", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const skips = graph("skips", {
    nodes: [
      node("skips", { provides: [a] }, (_values, { skip }) => skip()),
      node("skipped", { requires: [a], provides: [b] }, () => ({ b: 1 })),
      node("breaks", {}, () => {}),
    ],
  });
  const saving = hooks.hold("commit", "root/skipped");
  const breaking = hooks.hold("commit", "root/breaks");
  const running = runCheckpointed(skips, {}, hooks, { observers: [log.observer] });
  await saving.reached;
  await breaking.reached;
  breaking.fail(new Error("disk gone"));
  expect(await hasSettled(running)).toBe(false);
  saving.release();
  await rejectionOf(running, "PULSE_CHECKPOINT");
  expect(log.reasonOf("skipped")).toBe("skipped");
  expect(hooks.record.isConfirmed("root", "skipped")).toBe(true);
});
