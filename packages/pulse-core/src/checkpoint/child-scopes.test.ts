import { expect, test } from "vitest";
import { aspect, graph, mount, node, optional, PulseError, retry } from "../index.ts";
import { resumed, runCheckpointed } from "../testing/checkpointed.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";
import { RunRecord } from "../testing/run-record.ts";
import type { ChildRequest } from "./hooks.ts";
import { scopeFailure } from "./index.ts";

const given = numberKey("given");
const limit = numberKey("limit");
const a = numberKey("a");
const b = numberKey("b");

const child = graph("child", {
  inputs: [given, limit, optional(b)],
  outputs: [a],
  nodes: [node("inner", { requires: [given, limit], provides: [a] }, (values) => ({ a: values.given * values.limit }))],
});

test("CKPT-23 openChild is asked with graph, path, attempt, scope, fixed values and the sources of in, pending ones too", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const requests: Partial<ChildRequest>[] = [];
  const outer = graph("outer", {
    outputs: [a],
    nodes: [
      node("late", { provides: [given] }, async () => (await gate.promise, { given: 2 })),
      mount("m", child, { in: { given }, fix: { limit: 10 }, aspects: [retry({ limit: 2 })] }),
    ],
  });
  const running = runCheckpointed(
    outer,
    {},
    {
      ...hooks,
      openChild: (request) => {
        const { attempt, parentScope, nodeId, graph: name, path, bindings, fixed } = request;
        requests.push({ attempt, parentScope, nodeId, graph: name, path, bindings, fixed });
        return hooks.openChild(request);
      },
    },
  );
  await turn();
  expect(requests).toEqual([
    {
      attempt: "root/m@0#1",
      parentScope: "root",
      nodeId: "m",
      graph: "child",
      path: "m",
      bindings: [{ input: "given", from: "given" }],
      fixed: [{ input: "limit", key: limit, value: 10 }],
    },
  ]);
  gate.resolve();
  expect((await running).values.a).toBe(20);
});

test("CKPT-23 keys bound by in are wired by name and carry no value", async () => {
  const hooks = recordingHooks();
  const outer = graph("outer", {
    inputs: [given, b],
    outputs: [a],
    nodes: [mount("m", child, { in: { given: b, b: given }, fix: { limit: 3 } })],
  });
  let bindings: ChildRequest["bindings"] = [];
  await runCheckpointed(
    outer,
    { given: 1, b: 2 },
    {
      ...hooks,
      openChild: (request) => ((bindings = request.bindings), hooks.openChild(request)),
    },
  );
  expect(bindings).toEqual([
    { input: "given", from: "b" },
    { input: "b", from: "given" },
  ]);
});

test("CKPT-23 an IncompatibleError out of openChild is the cause of the CheckpointError; the scope is not replaced by a fresh one", async () => {
  const hooks = recordingHooks();
  // Durable's code stands here for itself: core neither knows it nor looks into it.
  const incompatible = Object.assign(new Error("scope root/m at m: key limit has another value"), {
    code: "PULSE_INCOMPATIBLE",
  });
  hooks.fail("openChild", "root/m@1#1", incompatible);
  const catching = aspect("catching", (context, next) => next().catch(() => void context.set(a, 0)));
  const outer = graph("outer", {
    inputs: [given],
    outputs: [a],
    nodes: [mount("m", child, { fix: { limit: 10 }, aspects: [catching, retry({ limit: 3 })] })],
  });
  const error = await rejectionOf(runCheckpointed(outer, { given: 1 }, hooks), "PULSE_CHECKPOINT");
  expect(error.cause).toBe(incompatible);
  expect(hooks.callsOf("openChild")).toEqual(["root/m@1#1"]);
});

test("CKPT-23 CKPT-36 the child's fixed inputs are what openChild gave back", async () => {
  const hooks = recordingHooks();
  const outer = graph("outer", { inputs: [given], outputs: [a], nodes: [mount("m", child, { fix: { limit: 10 } })] });
  const outcome = await runCheckpointed(
    outer,
    { given: 2 },
    {
      ...hooks,
      openChild: async (request) => ({ ...(await hooks.openChild(request)), inputs: new Map([["limit", () => 100]]) }),
    },
  );
  expect(outcome.values.a).toBe(200);
});

test("CKPT-13 a confirmed final failure in the scope: the mount's chain sees a business failure before anything of the child is installed", async () => {
  const record = new RunRecord();
  record.keep(
    {
      scope: "root/m@1#1",
      nodeId: "first",
      path: "m/first",
      attempt: "root/m@1#1/first",
      reason: "completed",
      outputs: [],
    },
    [{ name: "a", state: "ready", value: 1 }],
  );
  record.failed.add("root/m@1#1/second");
  const bodies: string[] = [];
  const log = eventLog();
  const seen: unknown[] = [];
  const failing = graph("failing", {
    outputs: [a, b],
    nodes: [
      node("first", { provides: [a] }, () => (bodies.push("first"), { a: 1 })),
      node("second", { requires: [a], provides: [b] }, () => (bodies.push("second"), { b: 2 })),
    ],
  });
  const watching = aspect("watching", (_context, next) =>
    next().catch((error: unknown) => {
      seen.push(error);
      throw error;
    }),
  );
  const outer = graph("outer", {
    outputs: [a, b],
    nodes: [mount("m", failing, { aspects: [watching, retry({ limit: 2 }), watching] })],
  });
  const { hooks, running } = resumed(outer, {}, record, { observers: [log.observer] });
  running.start();
  // A retry goes on with its remaining budget.
  expect((await running.wait()).values).toMatchObject({ a: 1, b: 2 });
  expect(bodies).toEqual(["first", "second"]);
  expect(seen.map((error) => expectCode(error, "PULSE_CHECKPOINT_SCOPE_FAILED").details.scope)).toEqual(["root/m@1#1"]);
  expect(hooks.calls.slice(0, 5)).toEqual([
    "openAttempt root/m",
    "openAttempt root/m@1#1",
    "openChild root/m@1#1",
    "failAttempt root/m@1#1",
    "openAttempt root/m@1#2",
  ]);
  // Nothing is told of the child that was not installed.
  expect(log.lines("m").filter((line) => line.startsWith("child-created"))).toEqual(["child-created m"]);
  expect(log.lines("m/first").length).toBe(3);
});

test("CKPT-13 without a retry the scope's failure is the run's; its attempt is confirmed failed", async () => {
  const record = new RunRecord();
  record.failed.add("root/m/inner");
  const outer = graph("outer", { inputs: [given], outputs: [a], nodes: [mount("m", child, { fix: { limit: 1 } })] });
  const { hooks, running } = resumed(outer, { given: 1 }, record);
  running.start();
  const error = await rejectionOf(running.wait(), "PULSE_EXECUTION_FAILED");
  expect(expectCode(error.cause, "PULSE_CHECKPOINT_SCOPE_FAILED").details.scope).toBe("root/m");
  expect(error.details.path).toBe("m");
  expect(hooks.callsOf("failAttempt")).toEqual(["root/m"]);
});

test("CKPT-13 an aspect may catch the failure of the scope", async () => {
  const hooks = recordingHooks();
  hooks.fail("openChild", "root/m", scopeFailure("root/m", "m"));
  const answering = aspect("answering", (context, next) => next().catch(() => void context.set(a, 7)));
  const outer = graph("outer", {
    inputs: [given],
    outputs: [a],
    nodes: [mount("m", child, { fix: { limit: 1 }, aspects: [answering] })],
  });
  expect((await runCheckpointed(outer, { given: 1 }, hooks)).values.a).toBe(7);
  expect(hooks.calls).toEqual(["openAttempt root/m", "openChild root/m", "commit root/m"]);
});

test("CKPT-13 a scope that fails after the run was cancelled is no failure of the run", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const bad = new Error("bad");
  const held = hooks.hold("openChild", "root/m");
  const outer = graph("outer", {
    inputs: [given],
    outputs: [a],
    nodes: [
      mount("m", child, { fix: { limit: 1 } }),
      node("bad", {}, async () => {
        await gate.promise;
        throw bad;
      }),
    ],
  });
  const running = runCheckpointed(outer, { given: 1 }, hooks);
  await held.reached;
  gate.resolve();
  await turn();
  held.fail(scopeFailure("root/m", "m"));
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(bad);
  expect(hooks.callsOf("failAttempt")).toEqual(["root/bad"]);
});

test("CORE-20 CKPT-4 with checkpoints too an input flows into the child when it arrives, also while the child is opened", async () => {
  const hooks = recordingHooks();
  const gate = deferred();
  const held = hooks.hold("openChild", "root/m");
  const outer = graph("outer", {
    outputs: [a],
    nodes: [
      node("late", { provides: [given] }, async () => (await gate.promise, { given: 2 })),
      mount("m", child, { fix: { limit: 10 } }),
    ],
  });
  const running = runCheckpointed(outer, {}, hooks);
  await held.reached;
  gate.resolve();
  await turn();
  held.release();
  expect((await running).values.a).toBe(20);
});

test("CORE-34 CKPT-37 scopeFailure and notStarted are PulseErrors that a layer above can throw", () => {
  const error = scopeFailure("root/m", "m");
  expect(error).toBeInstanceOf(PulseError);
  expect(error.details).toEqual({ scope: "root/m" });
});
