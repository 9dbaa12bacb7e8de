import { expect, test } from "vitest";
import { aspect, graph, mount, node, retry } from "../index.ts";
import { checkpointed, resumed, runCheckpointed } from "../testing/checkpointed.ts";
import { aborted, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";
import type { AttemptRequest } from "./hooks.ts";

const a = numberKey("a");
const b = numberKey("b");
const bad = new Error("bad");

/** Node `n` with a retry, which fails in the tries named, and is interrupted in the try `stopAt`. */
function tried(limit: number, failing: readonly number[], indices: number[], stopAt?: number) {
  return graph("tried", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit })] }, async (_values, { attempt, signal }) => {
        indices.push(attempt);
        if (attempt === stopAt) await aborted(signal);
        if (failing.includes(attempt)) throw bad;
        return { a: attempt };
      }),
    ],
  });
}

test("CKPT-14 CKPT-19 an interrupted try uses no budget: the resume recognises it with the same id and index", async () => {
  const hooks = recordingHooks();
  const indices: number[] = [];
  const running = checkpointed(tried(2, [1], indices, 2), {}, hooks);
  running.start();
  await turn();
  running.cancel();
  await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
  expect([...hooks.record.failed]).toEqual(["root/n@0#1"]);
  const again = resumed(tried(2, [1], indices), {}, hooks.record);
  again.running.start();
  expect((await again.running.wait()).values.a).toBe(2);
  expect(indices).toEqual([1, 2, 2]);
  expect(again.hooks.callsOf("openAttempt")).toEqual(["root/n", "root/n@0#2"]);
});

test("D6 CKPT-19 the process dies after try 2 of 3: one try is left", async () => {
  const hooks = recordingHooks();
  const indices: number[] = [];
  // Both failures are confirmed; then every hook is dead.
  hooks.crashAt(6, "before");
  await rejectionOf(runCheckpointed(tried(3, [1, 2, 3], indices), {}, hooks), "PULSE_CHECKPOINT");
  expect([...hooks.record.failed]).toEqual(["root/n@0#1", "root/n@0#2"]);
  const again = resumed(tried(3, [1, 2, 3], indices), {}, hooks.record);
  again.running.start();
  expect((await rejectionOf(again.running.wait(), "PULSE_EXECUTION_FAILED")).cause).toBe(bad);
  expect(indices).toEqual([1, 2, 3]);
});

test("CKPT-19 the index moves only after a confirmed failure, and the next try begins only then", async () => {
  const hooks = recordingHooks();
  const indices: number[] = [];
  const held = hooks.hold("failAttempt", "root/n@0#1", "after");
  const running = runCheckpointed(tried(2, [1], indices), {}, hooks);
  await held.reached;
  await turn();
  expect([indices, hooks.callsOf("openAttempt")]).toEqual([[1], ["root/n", "root/n@0#1"]]);
  held.release();
  expect((await running).values.a).toBe(2);
});

test("CKPT-32 an exhausted retry makes no try and fails with the business failure; outer aspects see it", async () => {
  const hooks = recordingHooks();
  const indices: number[] = [];
  hooks.record.failed.add("root/n@1#1").add("root/n@1#2");
  const seen: unknown[] = [];
  const watching = aspect("watching", (context, next) =>
    next().catch((error: unknown) => {
      seen.push(error);
      context.set(a, 7);
    }),
  );
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [watching, retry({ limit: 2 })] }, (_values, { attempt }) => {
        indices.push(attempt);
        return { a: 1 };
      }),
    ],
  });
  expect((await runCheckpointed(one, {}, hooks)).values.a).toBe(7);
  expect(indices).toEqual([]);
  expect(expectCode(seen[0], "PULSE_EXECUTION_FAILED").details.path).toBe("n");
  // It is confirmed already: nothing is confirmed again.
  expect(hooks.callsOf("failAttempt")).toEqual([]);
});

test("CKPT-32 CKPT-22 an exhausted inner retry uses a try of the outer one, which goes on with a fresh inner budget", async () => {
  const hooks = recordingHooks();
  hooks.record.failed.add("root/n@0#1@1#1").add("root/n@0#1@1#2");
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit: 2 }), retry({ limit: 2 })] }, (_values, { attempt }) => ({
        a: attempt,
      })),
    ],
  });
  expect((await runCheckpointed(one, {}, hooks)).values.a).toBe(1);
  expect(hooks.calls).toEqual([
    "openAttempt root/n",
    "openAttempt root/n@0#1",
    "openAttempt root/n@0#1@1#2",
    "failAttempt root/n@0#1",
    "openAttempt root/n@0#2",
    "openAttempt root/n@0#2@1#1",
    "commit root/n",
  ]);
});

test("CKPT-21 CKPT-32 a root chain that has finally failed gets no fresh attempt and no fresh budget", async () => {
  const hooks = recordingHooks();
  const log = eventLog();
  const indices: number[] = [];
  await rejectionOf(runCheckpointed(tried(2, [1, 2], indices), {}, hooks), "PULSE_EXECUTION_FAILED");
  expect([...hooks.record.failed]).toEqual(["root/n@0#1", "root/n@0#2", "root/n"]);
  const again = resumed(tried(2, [], indices), {}, hooks.record, { observers: [log.observer] });
  again.running.start();
  const error = await rejectionOf(again.running.wait(), "PULSE_EXECUTION_FAILED");
  expect(error.details.path).toBe("n");
  expect([indices, again.hooks.calls]).toEqual([[1, 2], ["openAttempt root/n"]]);
  expect(log.reasonOf("n")).toBe("failed");
});

test("CKPT-21 the limit of a root chain is 1, and its request names the scope as its parent", async () => {
  const hooks = recordingHooks();
  const requests: Partial<AttemptRequest>[] = [];
  const one = graph("one", {
    outputs: [a],
    nodes: [node("n", { provides: [a], aspects: [retry({ limit: 3 })] }, () => ({ a: 1 }))],
  });
  await runCheckpointed(
    one,
    {},
    {
      ...hooks,
      openAttempt: (request) => {
        const { scope, nodeId, path, parent, boundary, limit } = request;
        requests.push({ scope, nodeId, path, parent, boundary, limit });
        return hooks.openAttempt(request);
      },
    },
  );
  expect(requests).toEqual([
    { scope: "root", nodeId: "n", path: "n", parent: "root", boundary: "", limit: 1 },
    { scope: "root", nodeId: "n", path: "n", parent: "root/n", boundary: "0", limit: 3 },
  ]);
});

test("CKPT-20 a boundary is its place over all aspects: the execution's, the own graph's, the node's, in children too", async () => {
  const hooks = recordingHooks();
  const idle = aspect("idle", (_context, next) => next());
  const again = retry({ limit: 2 });
  const child = graph("child", {
    outputs: [a],
    aspects: [idle, again],
    nodes: [node("inner", { provides: [a], aspects: [again, idle, again] }, () => ({ a: 1 }))],
  });
  const outer = graph("outer", { outputs: [a], aspects: [again], nodes: [mount("m", child, { aspects: [idle] })] });
  await runCheckpointed(outer, {}, hooks, { aspects: [idle, again] });
  const boundaries = hooks.callsOf("openAttempt");
  // m: execution 0 idle, 1 again; outer 2 again; mount 3 idle. inner: execution 0, 1; child 2 idle, 3 again; node 4, 5, 6.
  const scope = "root/m@1#1@2#1";
  expect(boundaries).toEqual([
    "root/m",
    "root/m@1#1",
    scope,
    `${scope}/inner`,
    `${scope}/inner@1#1`,
    `${scope}/inner@1#1@3#1`,
    `${scope}/inner@1#1@3#1@4#1`,
    `${scope}/inner@1#1@3#1@4#1@6#1`,
  ]);
});

test("CKPT-20 a boundary is no count of calls: an aspect that calls next again meets the same retry", async () => {
  const hooks = recordingHooks();
  let calls = 0;
  const twice = aspect("twice", async (_context, next) => {
    await next().catch(() => {});
    await next();
  });
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [twice, retry({ limit: 2 })] }, () => {
        calls++;
        if (calls === 1) throw bad;
        return { a: calls };
      }),
    ],
  });
  // The first call spends try 1 and completes in try 2; the second call recognises try 2 and may not write again.
  const error = await rejectionOf(runCheckpointed(one, {}, hooks), "PULSE_EXECUTION_FAILED");
  expect(expectCode(error.cause, "PULSE_USAGE").details.key).toBe("a");
  expect(hooks.callsOf("openAttempt")).toEqual(["root/n", "root/n@1#1", "root/n@1#2", "root/n@1#2"]);
});

test("CKPT-20 CORE-14 aspects that are switched off are not in the chain: no boundary is opened, checkpoints stay on", async () => {
  const hooks = recordingHooks();
  const child = graph("child", {
    outputs: [a],
    nodes: [node("inner", { provides: [a], aspects: [retry({ limit: 2 })] }, () => ({ a: 1 }))],
  });
  const outer = graph("outer", { outputs: [a], nodes: [mount("m", child, { aspects: [retry({ limit: 2 })] })] });
  expect((await runCheckpointed(outer, {}, hooks, { aspects: false })).values.a).toBe(1);
  expect(hooks.calls).toEqual([
    "openAttempt root/m",
    "openChild root/m",
    "openAttempt root/m/inner",
    "commit root/m/inner",
    "commit root/m",
  ]);
});

test("CKPT-18 CKPT-22 the same path under another parent attempt is another scope: what was confirmed under a failed try is void", async () => {
  const hooks = recordingHooks();
  const bodies: string[] = [];
  const child = graph("child", {
    outputs: [a, b],
    nodes: [
      node("first", { provides: [a] }, (_values, { path }) => (bodies.push(path), { a: 1 })),
      node("second", { requires: [a], provides: [b], aspects: [retry({ limit: 2 })] }, () => {
        bodies.push("second");
        if (bodies.filter((body) => body === "second").length < 3) throw bad;
        return { b: 2 };
      }),
    ],
  });
  const outer = graph("outer", { outputs: [a, b], nodes: [mount("m", child, { aspects: [retry({ limit: 2 })] })] });
  expect((await runCheckpointed(outer, {}, hooks)).values).toMatchObject({ a: 1, b: 2 });
  expect(bodies).toEqual(["m/first", "second", "second", "m/first", "second"]);
  expect([...hooks.record.scopes]).toEqual(["root/m@0#1", "root/m@0#2"]);
  expect(hooks.record.lines).toEqual([
    "root/m@0#1/first completed a=1",
    "root/m@0#2/first completed a=1",
    "root/m@0#2/second completed b=2",
    "root/m completed a=1 b=2",
  ]);
});

test("CKPT-18 the scope of a retried mount is its deepest attempt", async () => {
  const hooks = recordingHooks();
  const child = graph("child", { outputs: [a], nodes: [node("inner", { provides: [a] }, () => ({ a: 1 }))] });
  const outer = graph("outer", {
    outputs: [a],
    nodes: [mount("m", child, { aspects: [retry({ limit: 2 }), retry({ limit: 2 })] })],
  });
  await runCheckpointed(outer, {}, hooks);
  expect([...hooks.record.scopes]).toEqual(["root/m@0#1@1#1"]);
});

test("CKPT-16 CKPT-34 a retry that its condition ends confirms its chain's failure and gives no fresh budget on resume", async () => {
  const hooks = recordingHooks();
  let bodies = 0;
  const one = graph("one", {
    nodes: [
      node("n", { aspects: [retry({ limit: 5, when: () => false })] }, () => {
        bodies++;
        throw bad;
      }),
    ],
  });
  await rejectionOf(runCheckpointed(one, {}, hooks), "PULSE_EXECUTION_FAILED");
  expect([...hooks.record.failed]).toEqual(["root/n"]);
  const again = resumed(one, {}, hooks.record);
  again.running.start();
  await rejectionOf(again.running.wait(), "PULSE_EXECUTION_FAILED");
  expect(bodies).toBe(1);
});
