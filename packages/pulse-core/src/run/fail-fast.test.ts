import { describe, expect, test } from "vitest";
import { execution, graph, isPulseError, limiter, mount, node, retry, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { aborted, deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const left = numberKey("left");
const right = numberKey("right");
const sum = numberKey("sum");
const failure = new Error("first");

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-11 CORE-12 the first failure aborts who runs and cancels who waits", async () => {
    const log = eventLog();
    const gate = deferred();
    const started: string[] = [];
    const failing = graph("failing", {
      inputs: [],
      outputs: [sum],
      nodes: [
        node("runs", { provides: [left] }, async (_values, { signal }) => (await aborted(signal), { left: 1 })),
        node("opens", { provides: [right] }, async () => (await gate.promise, { right: 1 })),
        node("fails", { requires: [right] }, () =>
          as(() => {
            throw failure;
          }),
        ),
        node("waits", { requires: [left], provides: [sum] }, () => (started.push("waits"), { sum: 1 })),
      ],
    });
    const running = run(failing, {}, { observers: [log.observer] });
    gate.resolve();
    const failed = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
    expect(failed.cause).toBe(failure);
    expect(failed.details.path).toBe("fails");
    expect(started).toEqual([]);
    expect(["runs", "opens", "fails", "waits"].map(log.reasonOf)).toEqual([
      "canceled",
      "completed",
      "failed",
      "canceled",
    ]);
  });

  test("CORE-37 no body starts after the first failure", async () => {
    const gate = deferred();
    const started: string[] = [];
    const ready = node("ready", { requires: [right] }, () => as(() => void started.push("ready")));
    const failing = graph("failing", {
      inputs: [],
      outputs: [],
      nodes: [
        node("opens", { provides: [right] }, async (_values, context) => {
          await gate.promise;
          context.set(right, 1);
          throw failure;
        }),
        node("queued", { requires: [right] }, () => as(() => void started.push("queued"))),
        ready,
      ],
    });
    const running = run(failing, {}, { concurrency: 1 });
    gate.resolve();
    expect((await rejectionOf(running, "PULSE_EXECUTION_FAILED")).cause).toBe(failure);
    expect(started).toEqual([]);
  });

  test("CORE-37 a node that waits for a place in a limiter does not start after the first failure", async () => {
    const narrow = limiter(1);
    const started: string[] = [];
    const failing = graph("failing", {
      inputs: [],
      outputs: [],
      nodes: [
        node("holds", { aspects: [narrow] }, async () => {
          await turn();
          throw failure;
        }),
        node("queued", { aspects: [narrow] }, () => as(() => void started.push("queued"))),
      ],
    });
    expect((await rejectionOf(run(failing, {}), "PULSE_EXECUTION_FAILED")).cause).toBe(failure);
    expect(started).toEqual([]);
  });

  test("CORE-37 CORE-38 a sibling's failure ends a backoff: no further try starts, no timer runs", async () => {
    const host = fakeHost();
    const gate = deferred();
    const log = eventLog();
    const tries: number[] = [];
    const failing = graph("failing", {
      inputs: [],
      outputs: [],
      nodes: [
        node("fails", {}, async () => {
          await gate.promise;
          throw failure;
        }),
        node("tries", { aspects: [retry({ limit: 5, delay: 1_000 })] }, (_values, { attempt }) =>
          as(() => {
            tries.push(attempt);
            throw new Error(`try ${attempt}`);
          }),
        ),
      ],
    });
    const running = run(failing, {}, { host, observers: [log.observer] });
    await turn();
    expect([tries, host.armed]).toEqual([[1], 1]);
    gate.resolve();
    expect((await rejectionOf(running, "PULSE_EXECUTION_FAILED")).cause).toBe(failure);
    expect([tries, host.armed]).toEqual([[1], 0]);
    expect(log.reasonOf("tries")).toBe("canceled");
  });
});

test("G8 CORE-11 later failures are kept beside the first, in order", async () => {
  const [second, third] = [new Error("second"), new Error("third")];
  const failing = graph("failing", {
    inputs: [],
    outputs: [],
    nodes: [
      node("first", {}, async () => {
        await turn();
        throw failure;
      }),
      node("second", {}, async (_values, { signal }) => {
        await aborted(signal).catch(() => {});
        throw second;
      }),
      node("third", {}, async (_values, { signal }) => {
        await aborted(signal).catch(() => {});
        await turn();
        throw third;
      }),
    ],
  });
  const failed = await rejectionOf(run(failing, {}), "PULSE_EXECUTION_FAILED");
  expect(failed.cause).toBe(failure);
  expect(failed.details.others).toEqual([second, third]);
  expect(failed.details.abandoned).toEqual([]);
});

test("G8 CORE-11 CORE-37 the siblings' abort errors tell a sibling's failure, and stand beside it", async () => {
  const reasons: unknown[] = [];
  const failing = graph("failing", {
    inputs: [],
    outputs: [],
    nodes: [
      node("first", {}, async () => {
        await turn();
        throw failure;
      }),
      node("listens", {}, async (_values, { signal }) => {
        await aborted(signal).catch(() => reasons.push(signal.reason));
        signal.throwIfAborted();
      }),
    ],
  });
  const failed = await rejectionOf(run(failing, {}), "PULSE_EXECUTION_FAILED");
  const reason = expectCode(reasons[0], "PULSE_EXECUTION_FAILED");
  expect(reason.cause).toBe(failure);
  expect(failed.cause).toBe(failure);
  expect(failed.details.others).toEqual([reason]);
});

test("CORE-11 two failures of one turn: the first is the cause, the second is beside it, none is unhandled", async () => {
  const second = new Error("second");
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const gate = deferred();
    const failing = graph("failing", {
      inputs: [],
      outputs: [],
      nodes: [
        node("a", {}, async () => {
          await gate.promise;
          throw failure;
        }),
        node("b", {}, async () => {
          await gate.promise;
          throw second;
        }),
      ],
    });
    const running = run(failing, {});
    gate.resolve();
    const failed = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
    expect([failed.cause, failed.details.others]).toEqual([failure, [second]]);
    await turn();
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("CORE-11 an execution that nobody waits for leaves no unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const log = eventLog();
    const failing = graph("failing", {
      inputs: [],
      outputs: [],
      nodes: [node("a", {}, () => Promise.reject(failure))],
    });
    execution(failing, {}, { observers: [log.observer] }).start();
    await turn();
    await turn();
    expect(log.lines().at(-1)).toBe("execution-finished");
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("G11 CORE-11 the run does not settle before a sibling that ignores its signal has ended", async () => {
  const gate = deferred();
  const failing = graph("failing", {
    inputs: [],
    outputs: [],
    nodes: [node("ignores", {}, () => gate.promise), node("first", {}, async () => Promise.reject(failure))],
  });
  const running = rejectionOf(run(failing, {}, { host: fakeHost() }), "PULSE_EXECUTION_FAILED");
  expect(await hasSettled(running)).toBe(false);
  gate.resolve();
  expect((await running).details.abandoned).toEqual([]);
});

test("CORE-11 a later failure deep in a cancelled child is kept beside the first", async () => {
  const late = new Error("late");
  const inner = graph("inner", {
    nodes: [
      node("fails too", {}, async (_values, { signal }) => {
        await aborted(signal).catch(() => {});
        throw late;
      }),
    ],
  });
  const outer = graph("outer", {
    nodes: [
      mount("child", inner),
      node("fails", {}, async () => {
        await turn();
        throw failure;
      }),
    ],
  });
  const failed = await rejectionOf(run(outer, {}), "PULSE_EXECUTION_FAILED");
  expect(failed.cause).toBe(failure);
  expect(failed.details.others).toContain(late);
});

test("CORE-37 a failure in a mounted child cancels the parent's nodes, and the other way round", async () => {
  const log = eventLog();
  const inner = graph("inner", {
    inputs: [],
    outputs: [],
    nodes: [node("listens", {}, async (_values, { signal }) => aborted(signal))],
  });
  const outer = graph("outer", {
    inputs: [],
    outputs: [],
    nodes: [
      mount("child", inner, {}),
      node("fails", {}, async () => {
        await turn();
        throw failure;
      }),
    ],
  });
  const failed = await rejectionOf(run(outer, {}, { observers: [log.observer] }), "PULSE_EXECUTION_FAILED");
  expect(failed.cause).toBe(failure);
  expect(log.reasonOf("child/listens")).toBe("canceled");
  expect(log.reasonOf("child")).toBe("canceled");
  expect(failed.details.others.every((other) => isPulseError(other))).toBe(true);
});
