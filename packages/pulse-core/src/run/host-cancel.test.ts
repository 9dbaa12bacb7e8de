import { describe, expect, test } from "vitest";
import { aspect, execution, graph, limiter, mount, node, retry, run, timeout } from "../index.ts";
import { aborted, deferred, hasSettled, never, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const listens = node(
  "listens",
  { provides: [made] },
  async (_values, { signal }) => (await aborted(signal), { made: 1 }),
);

const reasons: readonly (readonly [string, unknown])[] = [
  ["an error", new Error("enough")],
  ["a string", "enough"],
  ["null", null],
];

describe.each(reasons)("the host's reason is %s", (_name, reason) => {
  test("G7 CORE-30 CORE-43 the host's signal interrupts the run, its reason is the cause by identity", async () => {
    const caller = new AbortController();
    const seen: unknown[] = [];
    const log = eventLog();
    const inner = graph("inner", {
      inputs: [],
      outputs: [],
      nodes: [
        node("listens", { aspects: [timeout(5_000)] }, async (_values, { signal }) => {
          await aborted(signal).catch((error: unknown) => seen.push(error));
          signal.throwIfAborted();
        }),
      ],
    });
    const outer = graph("outer", {
      inputs: [],
      outputs: [],
      nodes: [mount("child", inner, { aspects: [timeout(9_000)] })],
    });
    const host = fakeHost();
    const running = run(outer, {}, { signal: caller.signal, host, observers: [log.observer] });
    await turn();
    caller.abort(reason);
    const interrupted = await rejectionOf(running, "PULSE_INTERRUPTED");
    expect(interrupted.cause).toBe(reason);
    expect(seen).toEqual([reason]);
    expect(log.reasonOf("child/listens")).toBe("canceled");
    expect(log.events.at(-1)).toMatchObject({ kind: "execution-finished", reason: "interrupted" });
    expect(host.armed).toBe(0);
  });

  test("CORE-30 cancel interrupts the run, its reason is the cause by identity", async () => {
    const handle = execution(graph("one", { inputs: [], outputs: [made], nodes: [listens] }), {});
    handle.start();
    await turn();
    handle.cancel(reason);
    expect((await rejectionOf(handle.wait(), "PULSE_INTERRUPTED")).cause).toBe(reason);
  });

  test("G5 CORE-30 a signal that is aborted already lets nothing run", async () => {
    const started: string[] = [];
    const quick = graph("quick", {
      inputs: [],
      outputs: [],
      nodes: [node("quick", {}, () => void started.push("quick"))],
    });
    const interrupted = await rejectionOf(run(quick, {}, { signal: AbortSignal.abort(reason) }), "PULSE_INTERRUPTED");
    expect(interrupted.cause).toBe(reason);
    expect(started).toEqual([]);
  });
});

test("CORE-30 the default reason of an abort is the platform's", async () => {
  const caller = new AbortController();
  const running = run(graph("one", { inputs: [], outputs: [made], nodes: [listens] }), {}, { signal: caller.signal });
  await turn();
  caller.abort();
  expect((await rejectionOf(running, "PULSE_INTERRUPTED")).cause).toBe(caller.signal.reason);
});

test("CORE-30 wait settles only when every started body has settled", async () => {
  const gate = deferred();
  const stubborn = graph("stubborn", { inputs: [], outputs: [], nodes: [node("stubborn", {}, () => gate.promise)] });
  const handle = execution(stubborn, {}, { host: fakeHost() });
  handle.start();
  await turn();
  handle.cancel("enough");
  const waiting = rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
  expect(await hasSettled(waiting)).toBe(false);
  gate.resolve();
  expect((await waiting).details.abandoned).toEqual([]);
});

test("CORE-30 CORE-37 after a cancellation no waiting node starts", async () => {
  const gate = deferred();
  const log = eventLog();
  const chain = graph("chain", {
    inputs: [],
    outputs: [],
    nodes: [
      node("first", { provides: [made] }, async () => (await gate.promise, { made: 1 })),
      node("second", { requires: [made] }, () => {}),
    ],
  });
  const handle = execution(chain, {}, { observers: [log.observer] });
  handle.start();
  await turn();
  handle.cancel("enough");
  gate.resolve();
  await rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
  expect(log.lines("second")).toEqual(["node-waiting second", "node-finished second"]);
  expect(log.reasonOf("second")).toBe("canceled");
});

test("CORE-43 a failure that comes after an interruption stands beside it", async () => {
  const late = new Error("late");
  const failing = graph("failing", {
    inputs: [],
    outputs: [],
    nodes: [
      node("fails", {}, async (_values, { signal }) => {
        await aborted(signal).catch(() => {});
        throw late;
      }),
    ],
  });
  const handle = execution(failing, {});
  handle.start();
  await turn();
  handle.cancel("enough");
  const interrupted = await rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
  expect(interrupted.cause).toBe("enough");
  expect(interrupted.details.others).toEqual([late]);
});

test("CORE-43 a cancellation that comes after a failure does not hide it", async () => {
  const failure = new Error("first");
  const gate = deferred();
  const failing = graph("failing", {
    inputs: [],
    outputs: [],
    nodes: [node("holds", {}, () => gate.promise), node("fails", {}, async () => Promise.reject(failure))],
  });
  const handle = execution(failing, {}, { host: fakeHost() });
  handle.start();
  await turn();
  handle.cancel("enough");
  gate.resolve();
  expect((await rejectionOf(handle.wait(), "PULSE_EXECUTION_FAILED")).cause).toBe(failure);
});

test("CORE-30 cancelling twice keeps the first reason, cancelling after the end changes nothing", async () => {
  const handle = execution(graph("one", { inputs: [], outputs: [made], nodes: [listens] }), {});
  handle.start();
  await turn();
  handle.cancel("one");
  handle.cancel("two");
  expect((await rejectionOf(handle.wait(), "PULSE_INTERRUPTED")).cause).toBe("one");
  const done = execution(graph("done", { inputs: [], outputs: [], nodes: [] }), {});
  done.start();
  await done.wait();
  done.cancel("late");
  expect((await done.wait()).outputs).toEqual({});
});

const waits: readonly (readonly [string, () => Parameters<typeof execution>[0]])[] = [
  [
    "a backoff",
    () => {
      const failing = node("fails", { aspects: [retry({ limit: 3, delay: 1_000 })] }, () =>
        Promise.reject(new Error("no")),
      );
      return graph("backoff", { inputs: [], outputs: [], nodes: [failing] });
    },
  ],
  [
    "a timer of an aspect",
    () => {
      const timed = node("timed", { aspects: [timeout(1_000)] }, async (_values, { signal }) => aborted(signal));
      return graph("timer", { inputs: [], outputs: [], nodes: [timed] });
    },
  ],
  [
    "a queue of a limiter",
    () => {
      const narrow = limiter(1);
      const full = ["a", "b", "c"].map((id) =>
        node(id, { aspects: [narrow] }, async (_values, { signal }) => aborted(signal)),
      );
      return graph("queue", { inputs: [], outputs: [], nodes: full });
    },
  ],
  [
    "an aspect of one's own that listens",
    () => {
      const listening = aspect("listening", async ({ signal }, next) => (await aborted(signal), next()));
      return graph("aspect", {
        inputs: [],
        outputs: [],
        nodes: [node("held", { aspects: [listening] }, () => never())],
      });
    },
  ],
];

test.each(waits)("G14 CORE-38 cancellation ends %s in the same turn, and no timer is left", async (_name, make) => {
  const host = fakeHost();
  const handle = execution(make(), {}, { host });
  handle.start();
  await turn();
  const waiting = rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
  handle.cancel("enough");
  expect(await hasSettled(waiting)).toBe(true);
  expect((await waiting).cause).toBe("enough");
  expect(host.armed).toBe(0);
});
