import { expect, test } from "vitest";
import { graph, limiter, mount, node, retry, timeout } from "../index.ts";
import { runCheckpointed } from "../testing/checkpointed.ts";
import { aborted, never, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf } from "../testing/rejection.ts";

const a = numberKey("a");
const b = numberKey("b");
const c = numberKey("c");

test("G2 G3 a join whose one parent branch was not taken commits as skipped with what it provides", async () => {
  const hooks = recordingHooks();
  const join = graph("join", {
    outputs: [c],
    nodes: [
      node("taken", { provides: [a] }, () => ({ a: 1 })),
      node("not taken", { provides: [b] }, (_values, { skip }) => skip()),
      node("join", { requires: [a, b], provides: [c] }, (values) => ({ c: values.a + values.b })),
    ],
  });
  expect((await runCheckpointed(join, {}, hooks)).outputs).toEqual({ c: { state: "skipped" } });
  expect(hooks.record.lines.at(-1)).toBe("root/join skipped c skipped");
});

test("G6 with checkpoints and concurrency 1 a node that awaits its mounted child does not lock up", async () => {
  const hooks = recordingHooks();
  const leaf = graph("leaf", {
    outputs: [a],
    nodes: [node("deep", { provides: [a], aspects: [limiter(1)] }, async () => ({ a: 1 }))],
  });
  const middle = graph("middle", { outputs: [a], nodes: [mount("inner", leaf)] });
  const outer = graph("outer", { outputs: [a], nodes: [mount("m", middle)] });
  expect((await runCheckpointed(outer, {}, hooks, { concurrency: 1 })).values.a).toBe(1);
});

test("G7 with checkpoints the caller's abort inside a timeout is told as the caller's reason", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const controller = new AbortController();
  const one = graph("one", {
    nodes: [node("n", { aspects: [timeout(5_000)] }, (_values, { signal }) => aborted(signal))],
  });
  const running = runCheckpointed(one, {}, hooks, { host, signal: controller.signal });
  await turn();
  const reason = { my: "reason" };
  controller.abort(reason);
  expect((await rejectionOf(running, "PULSE_INTERRUPTED")).cause).toBe(reason);
  expect(host.armed).toBe(0);
});

test("G8 with checkpoints the first failure is the cause and the siblings' abort errors are beside it", async () => {
  const hooks = recordingHooks();
  const bad = new Error("bad");
  const sibling = new DOMException("aborted", "AbortError");
  const siblings = graph("siblings", {
    nodes: [
      node("listens", {}, async (_values, { signal }) => {
        await aborted(signal).catch(() => {});
        throw sibling;
      }),
      node("bad", {}, async () => {
        await turn();
        throw bad;
      }),
    ],
  });
  const error = await rejectionOf(runCheckpointed(siblings, {}, hooks), "PULSE_EXECUTION_FAILED");
  expect([error.cause, error.details.others]).toEqual([bad, [sibling]]);
});

test.each([
  ["a string"],
  [undefined],
  [Object.freeze(new Error("frozen"))],
  [
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("trap");
        },
      },
    ),
  ],
])("G9 with checkpoints what a body throws is the cause by identity, case %#", async (thrown) => {
  const hooks = recordingHooks();
  const seen: unknown[] = [];
  const one = graph("one", {
    nodes: [
      node("n", {}, () => {
        throw thrown;
      }),
    ],
  });
  const error = await rejectionOf(
    runCheckpointed(
      one,
      {},
      { ...hooks, failAttempt: (id, call) => (seen.push(call.error), hooks.failAttempt(id, call)) },
    ),
    "PULSE_EXECUTION_FAILED",
  );
  expect(Object.is(error.cause, thrown) && Object.is(seen[0], thrown)).toBe(true);
  expect([...hooks.record.failed]).toEqual(["root/n"]);
});

test("G10 observers that throw or reject change nothing about a run with checkpoints", async () => {
  const hooks = recordingHooks();
  const throwing = (): never => {
    throw new Error("observer");
  };
  const one = graph("one", {
    outputs: [a],
    nodes: [node("n", { provides: [a], aspects: [retry({ limit: 2 })] }, () => ({ a: 1 }))],
  });
  expect(
    (await runCheckpointed(one, {}, hooks, { observers: [throwing, () => Promise.reject(new Error("later"))] })).values
      .a,
  ).toBe(1);
  expect(hooks.record.lines).toEqual(["root/n completed a=1"]);
});

test("G11 a sibling that ignores its signal is named after the drain time; the failure stays confirmed", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const bad = new Error("bad");
  const siblings = graph("siblings", {
    nodes: [
      node("deaf", {}, () => never<void>()),
      node("bad", {}, async () => {
        await turn();
        throw bad;
      }),
    ],
  });
  const running = runCheckpointed(siblings, {}, hooks, { host });
  while (hooks.record.failed.size === 0) await turn();
  await host.advance(10_000);
  const error = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
  expect([error.cause, error.details.abandoned]).toEqual([bad, ["deaf"]]);
  expect([...hooks.record.failed]).toEqual(["root/bad"]);
});

test("G15 with checkpoints a try after a timed-out one has a fresh signal", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const signals: boolean[] = [];
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node(
        "n",
        { provides: [a], aspects: [retry({ limit: 2 }), timeout(10)] },
        async (_values, { attempt, signal }) => {
          signals.push(signal.aborted);
          if (attempt === 1) await aborted(signal);
          return { a: attempt };
        },
      ),
    ],
  });
  const running = runCheckpointed(one, {}, hooks, { host });
  await host.advance(10);
  expect((await running).values.a).toBe(2);
  expect(signals).toEqual([false, false]);
});
