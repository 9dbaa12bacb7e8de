import { expect, test } from "vitest";
import { aspect, graph, node, retry, timeout } from "../index.ts";
import { checkpointed, resumed, runCheckpointed } from "../testing/checkpointed.ts";
import { aborted, deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { rejectionOf } from "../testing/rejection.ts";

const a = numberKey("a");
const bad = new Error("bad");
const enough = new Error("enough");

test("CKPT-15 a timeout does not race with the commit of its own node: the commit is outside all aspects", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const one = graph("one", {
    outputs: [a],
    nodes: [node("n", { provides: [a], aspects: [timeout(100)] }, async () => ({ a: 1 }))],
  });
  const held = hooks.hold("commit", "root/n");
  const running = runCheckpointed(one, {}, hooks, { host });
  const { signal } = await held.reached;
  expect(host.armed).toBe(0);
  await host.advance(1_000);
  expect(signal.aborted).toBe(false);
  held.release();
  expect((await running).values.a).toBe(1);
});

test.each([
  ["returns", () => ({ a: 1 })],
  ["skips", (_values: unknown, { skip }: { skip: () => never }) => skip()],
] as const)(
  "CKPT-15 a chain that %s when its own signal is aborted commits nothing, fails nothing and stays active",
  async (_how, end) => {
    const hooks = recordingHooks();
    const log = eventLog();
    const gate = deferred();
    const one = graph("one", {
      outputs: [a],
      nodes: [
        node("n", { provides: [a] }, async (values, context) => {
          await gate.promise;
          return end(values, context);
        }),
      ],
    });
    let prepared = 0;
    const counting = { ...hooks, prepare: () => void prepared++ };
    const running = checkpointed(one, {}, counting, { observers: [log.observer] });
    running.start();
    await turn();
    running.cancel(enough);
    gate.resolve();
    const error = await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
    expect([error.cause, error.details.others]).toEqual([enough, []]);
    expect([hooks.calls, prepared]).toEqual([["openAttempt root/n"], 0]);
    expect(log.reasonOf("n")).toBe("canceled");
  },
);

test("CKPT-15 an aborted signal that belongs only to something inside the chain changes nothing", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const answering = aspect("answering", (context, next) => next().catch(() => void context.set(a, 7)));
  let inner: AbortSignal | undefined;
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [answering, timeout(100)] }, async (_values, { signal }) => {
        inner = signal;
        await aborted(signal);
        return { a: 1 };
      }),
    ],
  });
  const running = runCheckpointed(one, {}, hooks, { host });
  await host.advance(100);
  expect((await running).values.a).toBe(7);
  expect(inner?.aborted).toBe(true);
  expect(hooks.calls).toEqual(["openAttempt root/n", "commit root/n"]);
});

test("CKPT-15 a timeout that fires is a business failure of what it encloses: the try is confirmed failed", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node(
        "n",
        { provides: [a], aspects: [retry({ limit: 2 }), timeout(100)] },
        async (_values, { attempt, signal }) => {
          if (attempt === 1) await aborted(signal);
          return { a: attempt };
        },
      ),
    ],
  });
  const running = runCheckpointed(one, {}, hooks, { host });
  await host.advance(100);
  expect((await running).values.a).toBe(2);
  expect(hooks.callsOf("failAttempt")).toEqual(["root/n@0#1"]);
});

test("CKPT-15 CKPT-14 cancellation from above inside a timeout stays an interruption", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit: 2 }), timeout(100)] }, async (_values, { signal }) => {
        await aborted(signal);
        return { a: 1 };
      }),
    ],
  });
  const running = checkpointed(one, {}, hooks, { host });
  running.start();
  await turn();
  running.cancel(enough);
  await host.advance(1_000);
  expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).cause).toBe(enough);
  expect(hooks.callsOf("failAttempt")).toEqual([]);
});

test("CKPT-16 an abort error out of a business call, while the execution is healthy, is a business failure", async () => {
  const hooks = recordingHooks();
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        if (attempt === 1) throw new DOMException("aborted", "AbortError");
        return { a: attempt };
      }),
    ],
  });
  expect((await runCheckpointed(one, {}, hooks)).values.a).toBe(2);
  expect(hooks.callsOf("failAttempt")).toEqual(["root/n@0#1"]);
});

test("CKPT-16 CKPT-34 a real error of a node whose local signal is aborted is confirmed like any other, and gives no fresh budget", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const translating = aspect("translating", (_context, next) =>
    next().catch(() => {
      throw bad;
    }),
  );
  const one = graph("one", {
    nodes: [
      node("n", { aspects: [retry({ limit: 2 }), translating, timeout(100)] }, async (_values, { signal }) => {
        await aborted(signal);
      }),
    ],
  });
  const running = runCheckpointed(one, {}, hooks, { host });
  await host.advance(200);
  expect((await rejectionOf(running, "PULSE_EXECUTION_FAILED")).cause).toBe(bad);
  expect(hooks.callsOf("failAttempt")).toEqual(["root/n@0#1", "root/n@0#2", "root/n"]);
});

test("CKPT-14 CKPT-10 CORE-16 the host's cancel during a retry delay ends it at once; the next try is not opened", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const one = graph("one", {
    outputs: [a],
    nodes: [
      node("n", { provides: [a], aspects: [retry({ limit: 3, delay: 60_000 })] }, (_values, { attempt }) => {
        if (attempt < 2) throw bad;
        return { a: attempt };
      }),
    ],
  });
  const running = checkpointed(one, {}, hooks, { host });
  running.start();
  await turn();
  expect(host.armed).toBe(1);
  running.cancel(enough);
  expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).cause).toBe(enough);
  expect(host.armed).toBe(0);
  expect(hooks.calls).toEqual(["openAttempt root/n", "openAttempt root/n@0#1", "failAttempt root/n@0#1"]);
  // The confirmed try counts, the delay is spent: a resume waits for nothing before the second try (CORE-46).
  const again = resumed(one, {}, hooks.record, { host });
  again.running.start();
  expect((await again.running.wait()).values.a).toBe(2);
});

test("CORE-46 CKPT-14 the host's deadline, timeout and signal interrupt: attempts stay active and a resume goes on", async () => {
  for (const by of ["deadline", "timeout", "signal"] as const) {
    const hooks = recordingHooks();
    const host = fakeHost();
    const controller = new AbortController();
    const indices: number[] = [];
    let patient = false;
    const one = graph("one", {
      outputs: [a],
      nodes: [
        node("n", { provides: [a], aspects: [retry({ limit: 2 })] }, async (_values, { attempt, signal }) => {
          indices.push(attempt);
          if (!patient) await aborted(signal);
          return { a: attempt };
        }),
      ],
    });
    const limits = {
      deadline: { deadline: host.now() + 100 },
      timeout: { timeout: 100 },
      signal: { signal: controller.signal },
    };
    const running = checkpointed(one, {}, hooks, { host, ...limits[by] });
    running.start();
    await host.advance(100);
    if (by === "signal") controller.abort(enough);
    await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
    expect(hooks.record.failed.size).toBe(0);
    patient = true;
    const again = resumed(one, {}, hooks.record, { host });
    again.running.start();
    expect((await again.running.wait()).values.a).toBe(1);
    expect(indices).toEqual([1, 1]);
  }
});

test("CORE-46 a timeout aspect is part of the business: it uses budget, and a resume begins its time anew", async () => {
  const hooks = recordingHooks();
  const host = fakeHost();
  const one = graph("one", {
    nodes: [
      node("n", { aspects: [retry({ limit: 2 }), timeout(100)] }, async (_values, { signal }) => {
        await aborted(signal);
      }),
    ],
  });
  const running = checkpointed(one, {}, hooks, { host });
  running.start();
  await host.advance(160);
  running.cancel(enough);
  await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
  expect([...hooks.record.failed]).toEqual(["root/n@0#1"]);
  const again = resumed(one, {}, hooks.record, { host });
  again.running.start();
  await host.advance(99);
  expect(await hasSettled(again.running.wait())).toBe(false);
  await host.advance(1);
  await rejectionOf(again.running.wait(), "PULSE_EXECUTION_FAILED");
  expect([...hooks.record.failed]).toEqual(["root/n@0#1", "root/n@0#2", "root/n"]);
});

test("CORE-46 CORE-37 a run that is cancelled before its start calls no hook", async () => {
  const hooks = recordingHooks();
  const one = graph("one", { outputs: [a], nodes: [node("n", { provides: [a] }, () => ({ a: 1 }))] });
  for (const options of [{ signal: AbortSignal.abort(enough) }, { timeout: 0 }]) {
    const running = checkpointed(one, {}, hooks, options);
    running.start();
    await rejectionOf(running.wait(), "PULSE_INTERRUPTED");
  }
  expect(hooks.calls).toEqual([]);
});

test("CORE-46 CKPT-10 a cancel right after the start lets no hook be called", async () => {
  const hooks = recordingHooks();
  const one = graph("one", { outputs: [a], nodes: [node("n", { provides: [a] }, () => ({ a: 1 }))] });
  const running = checkpointed(one, {}, hooks);
  running.start();
  running.cancel(enough);
  expect((await rejectionOf(running.wait(), "PULSE_INTERRUPTED")).cause).toBe(enough);
  await turn();
  expect(hooks.calls).toEqual([]);
});
