import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { graph, limiter, mount, node, retry, timeout } from "../index.ts";
import { checkpointed, runCheckpointed } from "../testing/checkpointed.ts";
import { deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf } from "../testing/rejection.ts";
import { notStarted } from "./index.ts";
import type { HookCall } from "./index.ts";

const a = numberKey("a");
const b = numberKey("b");
const bad = new Error("bad");
const enough = new Error("enough");

/** Node `n` beside node `bad`, which fails when the gate opens. */
function beside(gate: Promise<void>, aspects = [retry({ limit: 2 })]) {
  return graph("beside", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects }, (_values, { attempt }) => {
        if (attempt === 1) throw new Error("again");
        return { a: 1 };
      }),
      node("bad", {}, async () => {
        await gate;
        throw bad;
      }),
    ],
  });
}

test.each([
  ["openAttempt", "root/n"],
  ["openAttempt", "root/n@0#1"],
  ["failAttempt", "root/n@0#1"],
  ["openAttempt", "root/n@0#2"],
  ["commit", "root/n"],
] as const)(
  "CKPT-9 a failure elsewhere does not abort an admitted %s of %s, and what it covers is not begun after it",
  async (hook, id) => {
    const hooks = recordingHooks();
    const gate = deferred();
    const held = hooks.hold(hook, id);
    const running = runCheckpointed(beside(gate.promise), {}, hooks);
    const { signal } = await held.reached;
    gate.resolve();
    await turn();
    expect(signal.aborted).toBe(false);
    expect(await hasSettled(running)).toBe(false);
    held.release();
    expect((await rejectionOf(running, "PULSE_EXECUTION_FAILED")).cause).toBe(bad);
    expect(hooks.calls.at(-1)).toBe("failAttempt root/bad");
    expect(hooks.record.lines).toEqual(hook === "commit" ? ["root/n completed a=1"] : []);
  },
);

test.each([
  ["openAttempt", "root/n"],
  ["openAttempt", "root/n@0#1"],
  ["failAttempt", "root/n@0#1"],
  ["openAttempt", "root/n@0#2"],
  ["commit", "root/n"],
] as const)(
  "CKPT-9 CKPT-10 the host's cancel aborts an admitted %s of %s in the same step, and nothing begins after it",
  async (hook, id) => {
    const hooks = recordingHooks();
    const held = hooks.hold(hook, id);
    const running = checkpointed(beside(new Promise(() => {})), {}, hooks, { overrides: { nodes: { bad: () => {} } } });
    running.start();
    const { signal } = await held.reached;
    running.cancel(enough);
    expect([signal.aborted, signal.reason]).toEqual([true, enough]);
    const calls = hooks.calls.length;
    held.release();
    expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).cause).toBe(enough);
    expect(hooks.calls.length).toBe(calls);
  },
);

test("CKPT-10 CORE-12 a node that is stopped while its attempt is opened is cancelled at once, runs nothing and is not named later", async () => {
  for (const stop of ["failure", "cancel"] as const) {
    const hooks = recordingHooks();
    const host = fakeHost();
    const log = eventLog();
    const gate = deferred();
    const deaf = deferred();
    let bodies = 0;
    const outer = graph("outer", {
      outputs: [a],
      nodes: [
        node("n", { provides: [a] }, () => (bodies++, { a: 1 })),
        node("deaf", {}, () => deaf.promise),
        node("bad", {}, async () => {
          await gate.promise;
          throw bad;
        }),
      ],
    });
    const held = hooks.hold("openAttempt", "root/n");
    const running = checkpointed(outer, {}, hooks, { host, observers: [log.observer] });
    running.start();
    await held.reached;
    await turn();
    if (stop === "cancel") running.cancel(enough);
    gate.resolve();
    await turn();
    expect(log.reasonOf("n")).toBe("canceled");
    held.release();
    await host.advance(10_000);
    const error = await rejectionOf(running.wait(), stop === "cancel" ? "PULSE_INTERRUPTED" : "PULSE_EXECUTION_FAILED");
    expect([error.details.abandoned, bodies]).toEqual([["deaf"], 0]);
    expect(log.lines("n")).toEqual(["node-waiting n", "node-finished n"]);
    expect(running.snapshot().nodes[0]).toEqual({ path: "n", state: "finished", reason: "canceled" });
    deaf.resolve();
  }
});

test("CORE-45 CKPT-11 the end waits for an openAttempt that is under way; one that fails is the result", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const held = hooks.hold("openAttempt", "root/n");
  const running = runCheckpointed(beside(gate.promise), {}, hooks);
  await held.reached;
  gate.resolve();
  expect(await hasSettled(running)).toBe(false);
  const down = new Error("down");
  held.fail(down);
  const error = await rejectionOf(running, "PULSE_CHECKPOINT");
  expect([error.cause, error.details.others]).toEqual([down, [bad]]);
});

test("CKPT-9 the signal of a hook in a mount is aborted by its parent's timeout and not by a failure beside the mount", async () => {
  for (const disturb of ["timeout", "failure"] as const) {
    const hooks = recordingHooks();
    const host = fakeHost();
    const gate = deferred();
    const child = graph("child", { outputs: [a], nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))] });
    const outer = graph("outer", {
      outputs: [a],
      nodes: [
        mount("m", child, { aspects: [timeout(100)] }),
        node("bad", {}, async () => {
          await gate.promise;
          throw bad;
        }),
      ],
    });
    const held = hooks.hold("commit", "root/m/inner");
    const running = runCheckpointed(outer, {}, hooks, { host });
    const { signal } = await held.reached;
    if (disturb === "failure") gate.resolve();
    await host.advance(disturb === "timeout" ? 100 : 0);
    expect(signal.aborted).toBe(disturb === "timeout");
    held.release();
    gate.resolve();
    const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
    if (disturb === "failure") expect(error.cause).toBe(bad);
    else expect(error.cause).toMatchObject({ code: "PULSE_TIMEOUT" });
    // What was confirmed is never taken back (CKPT-17).
    expect(hooks.record.lines).toEqual(["root/m/inner completed a=1"]);
  }
});

test("CKPT-9 CKPT-11 a commit inside a mount that its parent's timeout kept from starting is no reliable failure", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const child = graph("child", { outputs: [a], nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))] });
  const outer = graph("outer", {
    outputs: [a],
    nodes: [mount("m", child, { aspects: [retry({ limit: 2 }), timeout(100)] })],
  });
  const held = hooks.hold("commit", "root/m@0#1/inner");
  const running = runCheckpointed(outer, {}, hooks, { host });
  await held.reached;
  await host.advance(100);
  held.fail(notStarted("m/inner"));
  expect((await running).values.a).toBe(1);
  expect(hooks.record.lines).toEqual(["root/m@0#2/inner completed a=1", "root/m completed a=1"]);
});

test("CKPT-10 a chain that waits for a place is not begun after the cancel; its attempt stays active", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const shared = limiter(1);
  const gate = deferred();
  const two = graph("two", {
    outputs: [a, b],
    nodes: [
      node("first", { provides: [a], aspects: [shared] }, async () => (await gate.promise, { a: 1 })),
      node("second", { provides: [b], aspects: [shared] }, () => ({ b: 2 })),
    ],
  });
  const running = checkpointed(two, {}, hooks, { observers: [log.observer] });
  running.start();
  await turn();
  running.cancel(enough);
  await turn();
  expect(log.reasonOf("second")).toBe("canceled");
  gate.resolve();
  await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
  expect(hooks.calls.toSorted()).toEqual(["openAttempt root/first", "openAttempt root/second"]);
});

test("G12 CORE-38 hooks that all read their signal put no listener of their own on the caller's", async () => {
  const hooks = recordingHooks();
  const { signal } = new AbortController();
  const seen: (readonly [aborted: boolean, listeners: number])[] = [];
  const look = (call: HookCall): void =>
    void seen.push([call.signal.aborted, getEventListeners(signal, "abort").length]);
  const keys = Array.from({ length: 100 }, (_, index) => numberKey(`k${index}`));
  const wide = graph("wide", {
    outputs: keys,
    nodes: keys.map((own, index) =>
      node(`n${index}`, { provides: [own], aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        if (attempt === 1) throw new Error("again");
        return { [own.name]: index };
      }),
    ),
  });
  await runCheckpointed(
    wide,
    {},
    {
      ...hooks,
      openAttempt: (request) => (look(request), hooks.openAttempt(request)),
      failAttempt: (id, call) => (look(call), hooks.failAttempt(id, call)),
      commit: (request) => (look(request), hooks.commit(request)),
    },
    { signal },
  );
  expect(seen).toEqual(Array.from({ length: 500 }, () => [false, 1]));
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("CORE-30 a hook that never settles is cancelled with the rest and named after the drain time", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const one = graph("one", { outputs: [a], nodes: [node("n", { provides: [a] }, () => ({ a: 1 }))] });
  const held = hooks.hold("commit", "root/n");
  const running = checkpointed(one, {}, hooks, { host });
  running.start();
  await held.reached;
  running.cancel(enough);
  await host.advance(10_000);
  expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).details.abandoned).toEqual(["n"]);
});

test("CORE-35 no signal is made for a hook that does not read it", async () => {
  const hooks = recordingHooks();
  const Real = globalThis.AbortController;
  let made = 0;
  globalThis.AbortController = class extends Real {
    constructor() {
      super();
      made++;
    }
  };
  try {
    await runCheckpointed(beside(Promise.resolve()), {}, hooks, { overrides: { nodes: { bad: () => {} } } });
  } finally {
    globalThis.AbortController = Real;
  }
  expect(made).toBe(0);
});
