import { expect, test } from "vitest";
import { aspect, graph, mount, node, PulseError, retry } from "../index.ts";
import type { Aspect } from "../index.ts";
import { checkpointed, resumed, runCheckpointed } from "../testing/checkpointed.ts";
import { aborted, deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf, thrownBy } from "../testing/rejection.ts";
import type { AttemptRequest, CheckpointHooks } from "./hooks.ts";
import { notStarted, scopeFailure } from "./index.ts";

const a = numberKey("a");
const b = numberKey("b");
const down = new Error("down");
const hooksOfNode = ["openAttempt", "openChild", "commit", "failAttempt"] as const;

/** Answers for what is inside whatever it fails with. */
const catching: Aspect = aspect("catching", (context, next) => next().catch(() => void context.set(a, 0)));

/** A graph in which each of the four hooks is called for a mount `m` with a child node `inner`. */
function everyHook(fails: boolean, aspects: readonly Aspect[] = []) {
  const child = graph("child", {
    outputs: [a],
    nodes: [
      node("inner", { provides: [a] }, () => {
        if (fails) throw new Error("business");
        return { a: 1 };
      }),
    ],
  });
  return graph("outer", { outputs: [a], nodes: [mount("m", child, { aspects })] });
}

/** The id that each hook is first called with in {@link everyHook} with a retry around the mount. */
const firstId = {
  openAttempt: "root/m@1#1",
  openChild: "root/m@1#1",
  commit: "root/m@1#1/inner",
  failAttempt: "root/m@1#1/inner",
} as const;

test.each(hooksOfNode)(
  "CKPT-12 a failing %s is latched: no retry, no aspect, no catch makes a success of it",
  async (hook) => {
    const hooks = recordingHooks();
    hooks.fail(hook, firstId[hook], down);
    const outer = everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]);
    const error = await rejectionOf(runCheckpointed(outer, {}, hooks), "PULSE_CHECKPOINT");
    expect(error.cause).toBe(down);
    expect(error.details.hook).toBe(hook);
    // What the latch itself raised in the chains is no failure beside it (CORE-43); the business failure was caught.
    expect(error.details.others).toEqual([]);
    expect(hooks.calls.at(-1)).toBe(`${hook} ${firstId[hook]}`);
    expect([...hooks.record.failed]).toEqual([]);
    expect(hooks.record.lines).toEqual([]);
  },
);

test.each([
  ["a skip signal", new PulseError("PULSE_SKIPPED", "skipped", { details: {} })],
  ["a no-value signal", new PulseError("PULSE_NO_VALUE", "no value", { details: {} })],
  ["an abort error", new DOMException("aborted", "AbortError")],
  ["an interruption", new PulseError("PULSE_INTERRUPTED", "interrupted", { details: { others: [], abandoned: [] } })],
  [
    "an error that hides a skip signal",
    new Error("down", { cause: new PulseError("PULSE_SKIPPED", "skipped", { details: {} }) }),
  ],
  ["undefined", undefined],
  ["a string", "down"],
])("CKPT-11 CKPT-12 %s out of any hook is a reliable failure", async (_what, thrown) => {
  for (const hook of hooksOfNode) {
    const hooks = recordingHooks();
    hooks.fail(hook, firstId[hook], thrown);
    const outer = everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]);
    const error = await rejectionOf(runCheckpointed(outer, {}, hooks), "PULSE_CHECKPOINT");
    expect([error.cause, error.details.hook]).toEqual([thrown, hook]);
  }
});

test.each(hooksOfNode)(
  "CKPT-11 a CheckpointNotStarted out of %s with healthy signals is a reliable failure",
  async (hook) => {
    const hooks = recordingHooks();
    const thrown = notStarted("m");
    hooks.fail(hook, firstId[hook], thrown);
    const error = await rejectionOf(
      runCheckpointed(everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]), {}, hooks),
      "PULSE_CHECKPOINT",
    );
    expect(error.cause).toBe(thrown);
  },
);

test.each(hooksOfNode)(
  "CKPT-11 CKPT-14 a CheckpointNotStarted out of a cancelled %s is an interruption",
  async (hook) => {
    const hooks = recordingHooks();
    const outer = everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]);
    const held = hooks.hold(hook, firstId[hook]);
    const running = checkpointed(outer, {}, hooks);
    running.start();
    const { signal } = await held.reached;
    const enough = new Error("enough");
    running.cancel(enough);
    expect([signal.aborted, signal.reason]).toEqual([true, enough]);
    held.fail(notStarted("m"));
    expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).cause).toBe(enough);
    expect(hooks.calls.at(-1)).toBe(`${hook} ${firstId[hook]}`);
    expect([[...hooks.record.failed], hooks.record.lines]).toEqual([[], []]);
  },
);

test.each(hooksOfNode)(
  "CKPT-11 out of a cancelled %s anything else, wrapped too, is a reliable failure",
  async (hook) => {
    for (const thrown of [
      new Error("wrapped", { cause: notStarted("m") }),
      new DOMException("aborted", "AbortError"),
      down,
    ]) {
      const hooks = recordingHooks();
      const outer = everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]);
      const held = hooks.hold(hook, firstId[hook]);
      const running = checkpointed(outer, {}, hooks);
      running.start();
      await held.reached;
      running.cancel(new Error("enough"));
      held.fail(thrown);
      const error = await rejectionOf(running.wait(), "PULSE_CHECKPOINT");
      expect([error.cause, error.details.hook]).toEqual([thrown, hook]);
    }
  },
);

test.each(hooksOfNode)("CKPT-11 a %s that throws at once is no different from one that rejects", async (hook) => {
  const hooks = recordingHooks();
  const outer = everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]);
  const throwing: CheckpointHooks = {
    ...hooks,
    [hook]: () => {
      throw down;
    },
  };
  const error = await rejectionOf(runCheckpointed(outer, {}, throwing), "PULSE_CHECKPOINT");
  expect([error.cause, error.details.hook]).toEqual([down, hook]);
});

test.each<readonly [string, "openAttempt" | "openChild" | "commit", unknown]>([
  ["no attempt", "openAttempt", undefined],
  ["an attempt without an id", "openAttempt", { id: "", index: 1, exhausted: false }],
  ["an attempt without an index", "openAttempt", { id: "x", index: 0, exhausted: false }],
  ["no child", "openChild", undefined],
  ["a child without nodes", "openChild", {}],
  [
    "a child with a node that the graph does not have",
    "openChild",
    { nodes: [{ nodeId: "other", reason: "completed", outputs: [] }] },
  ],
  ["a scope failure beside results", "openChild", Object.assign(scopeFailure("root/m@1#1", "m"), { nodes: [] })],
  ["no outputs", "commit", undefined],
  ["too few outputs", "commit", []],
  ["other outputs", "commit", [{ name: "b", state: "ready", read: () => 1 }]],
  ["an output that is pending", "commit", [{ name: "a", state: "pending" }]],
  ["an output that cannot be read", "commit", [{ name: "a", state: "ready", value: 1 }]],
  [
    "one output twice",
    "commit",
    [
      { name: "a", state: "skipped" },
      { name: "a", state: "skipped" },
    ],
  ],
])(
  "CKPT-11 CKPT-37 a hook that gives back %s has failed: the run stops and does not hang",
  async (_what, hook, answer) => {
    const hooks = recordingHooks();
    const answering = { ...hooks, [hook]: () => Promise.resolve(answer) } as CheckpointHooks;
    const error = await rejectionOf(
      runCheckpointed(everyHook(false, [catching, retry({ limit: 3 })]), {}, answering),
      "PULSE_CHECKPOINT",
    );
    expect(error.details.hook).toBe(hook);
  },
);

test("CKPT-37 a malformed attempt of a retry stops the run as well", async () => {
  const hooks = recordingHooks();
  const answering = {
    ...hooks,
    openAttempt: (request: AttemptRequest) =>
      request.boundary === "" ? hooks.openAttempt(request) : Promise.resolve(undefined),
  } as CheckpointHooks;
  const error = await rejectionOf(
    runCheckpointed(everyHook(false, [catching, retry({ limit: 3 })]), {}, answering),
    "PULSE_CHECKPOINT",
  );
  expect(error.details.hook).toBe("openAttempt");
});

test.each([
  ["wrapped", (scope: string) => new Error("wrapped", { cause: scopeFailure(scope, "m") })],
  ["empty", () => scopeFailure("", "m")],
  ["for another scope", (scope: string) => scopeFailure(`${scope}/other`, "m")],
  ["for the parent's scope", () => scopeFailure("root", "m")],
])("CKPT-37 a CheckpointScopeFailure that is %s is a reliable failure", async (_what, make) => {
  const hooks = recordingHooks();
  const thrown = make("root/m@1#1");
  hooks.fail("openChild", "root/m@1#1", thrown);
  const outer = everyHook(false, [catching, retry({ limit: 3 })]);
  const error = await rejectionOf(runCheckpointed(outer, {}, hooks), "PULSE_CHECKPOINT");
  expect([error.cause, error.details.hook]).toEqual([thrown, "openChild"]);
});

test.each(["openAttempt", "commit", "failAttempt"] as const)(
  "CKPT-37 a CheckpointScopeFailure out of %s is a reliable failure",
  async (hook) => {
    const hooks = recordingHooks();
    const thrown = scopeFailure("root/m@1#1", "m");
    hooks.fail(hook, firstId[hook], thrown);
    const outer = everyHook(hook === "failAttempt", [catching, retry({ limit: 3 })]);
    const error = await rejectionOf(runCheckpointed(outer, {}, hooks), "PULSE_CHECKPOINT");
    expect([error.cause, error.details.hook]).toEqual([thrown, hook]);
  },
);

test("CKPT-12 after a reliable failure no hook is called, waiting nodes are cancelled and running ones aborted in the same step", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const gate = deferred();
  let reason: unknown;
  const busy = graph("busy", {
    outputs: [a, b],
    nodes: [
      node("saved", { provides: [a] }, () => ({ a: 1 })),
      node("runs", { provides: [b], aspects: [catching] }, async (_values, { signal }) => {
        await aborted(signal).catch((error: unknown) => (reason = error));
        await gate.promise;
        return { b: 2 };
      }),
      node("waits", { requires: [a, b] }, () => {}),
    ],
  });
  hooks.fail("commit", "root/saved", down);
  const running = runCheckpointed(busy, {}, hooks, { observers: [log.observer] });
  await turn();
  expect(["saved", "waits", "runs"].map(log.reasonOf)).toEqual(["canceled", "canceled", undefined]);
  expect(reason).toMatchObject({ code: "PULSE_CHECKPOINT", cause: down });
  const calls = hooks.calls.length;
  gate.resolve();
  await rejectionOf(running, "PULSE_CHECKPOINT");
  expect(hooks.calls.length).toBe(calls);
});

test("CKPT-12 CKPT-7 a reliable failure deep in one mount stops the whole tree: no hook is called in another mount after it", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const reasons: unknown[] = [];
  const quick = graph("quick", { outputs: [a], nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))] });
  const slow = graph("slow", {
    outputs: [b],
    nodes: [
      node("inner", { provides: [b], aspects: [catching] }, async (_values, { signal }) => {
        await aborted(signal).catch((error: unknown) => reasons.push(error));
        await gate.promise;
        return { b: 2 };
      }),
    ],
  });
  const outer = graph("outer", {
    outputs: [a, b],
    nodes: [
      mount(
        "one",
        graph("middle", { outputs: [a], nodes: [mount("deep", quick, { aspects: [retry({ limit: 2 })] })] }),
      ),
      mount("two", slow, { aspects: [retry({ limit: 2 })] }),
    ],
  });
  const held = hooks.hold("commit", "root/one/deep@0#1/inner");
  const running = runCheckpointed(outer, {}, hooks);
  await held.reached;
  await turn();
  held.fail(down);
  await turn();
  expect(reasons).toMatchObject([{ code: "PULSE_CHECKPOINT", cause: down }]);
  const calls = hooks.calls.length;
  gate.resolve();
  const error = await rejectionOf(running, "PULSE_CHECKPOINT");
  expect([error.cause, error.details.others, hooks.calls.length]).toEqual([down, [], calls]);
});

test("CKPT-12 CKPT-11 the first reliable failure is the cause, whatever fails after it", async () => {
  const hooks = recordingHooks();
  const two = graph("two", {
    outputs: [a, b],
    nodes: [node("one", { provides: [a] }, () => ({ a: 1 })), node("two", { provides: [b] }, () => ({ b: 2 }))],
  });
  const first = hooks.hold("commit", "root/one");
  const second = hooks.hold("commit", "root/two");
  const running = runCheckpointed(two, {}, hooks);
  await Promise.all([first.reached, second.reached]);
  second.fail(down);
  first.fail(new Error("later"));
  expect((await rejectionOf(running, "PULSE_CHECKPOINT")).cause).toBe(down);
});

test("CKPT-12 CKPT-36 a confirmed value that cannot be read stops the run, though the body catches it", async () => {
  const hooks = recordingHooks();
  const unreadable: CheckpointHooks = {
    ...hooks,
    commit: async (request) =>
      (await hooks.commit(request)).map((output) =>
        output.state === "skipped"
          ? output
          : {
              ...output,
              read: () => {
                throw down;
              },
            },
      ),
  };
  const pair = graph("pair", {
    outputs: [b],
    nodes: [
      node("make", { provides: [a] }, () => ({ a: 1 })),
      node(
        "use",
        {
          requires: [a],
          provides: [b],
          aspects: [aspect("caught", (context, next) => next().catch(() => void context.set(b, 0)))],
        },
        (values) => ({ b: values.a }),
      ),
    ],
  });
  const error = await rejectionOf(runCheckpointed(pair, {}, unreadable), "PULSE_CHECKPOINT");
  expect(error.cause).toBe(down);
  expect(hooks.callsOf("commit")).toEqual(["root/make"]);
});

test("CKPT-17 a store that wrote and still reported an error stops the run; the resume loads what is true", async () => {
  const hooks = recordingHooks();
  let bodies = 0;
  const pair = graph("pair", {
    outputs: [b],
    nodes: [
      node("make", { provides: [a], aspects: [retry({ limit: 3 })] }, () => (bodies++, { a: 1 })),
      node("use", { requires: [a], provides: [b] }, (values) => ({ b: values.a + 1 })),
    ],
  });
  hooks.fail("commit", "root/make", down, "after");
  await rejectionOf(runCheckpointed(pair, {}, hooks), "PULSE_CHECKPOINT");
  expect(hooks.record.lines).toEqual(["root/make completed a=1"]);
  const { running } = resumed(pair, {}, hooks.record);
  running.start();
  expect((await running.wait()).values.b).toBe(2);
  expect(bodies).toBe(1);
});

test("CKPT-17 a failure that was written although the store reported an error stays failed on resume", async () => {
  const hooks = recordingHooks();
  const tries: number[] = [];
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        tries.push(attempt);
        if (attempt === 1) throw new Error("business");
        return { a: attempt };
      }),
    ],
  });
  hooks.fail("failAttempt", "root/n@0#1", down, "after");
  await rejectionOf(runCheckpointed(one, {}, hooks), "PULSE_CHECKPOINT");
  const { running } = resumed(one, {}, hooks.record);
  running.start();
  expect((await running.wait()).values.a).toBe(2);
  expect(tries).toEqual([1, 2]);
});

test("CKPT-12 a hook that fails after the run has ended changes nothing and escapes nowhere", async () => {
  const hooks = recordingHooks();
  const held = hooks.hold("commit", "root/n");
  const one = graph("one", { outputs: [a], nodes: [node("n", { provides: [a] }, () => ({ a: 1 }))] });
  const running = checkpointed(one, {}, hooks, { drainTimeout: 0 });
  running.start();
  await held.reached;
  running.cancel(new Error("enough"));
  const error = await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
  expect(error.details.abandoned).toEqual(["n"]);
  held.fail(down);
  await turn();
  expect(await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).toBe(error);
  expect(thrownBy(() => running.start())).toMatchObject({ code: "PULSE_USAGE" });
});
