import { describe, expect, test } from "vitest";
import { execution, graph, node, retry, run, timeout, type RetryOptions } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { aborted, never, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";

const made = numberKey("made");
const empty = numberKey("empty");

describe.each(bothWays)("$how", ({ as }) => {
  /** Fails until the given try. */
  const flaky = (options: RetryOptions, succeedsAt: number, tries: number[] = []) =>
    graph("flaky", {
      outputs: [made],
      nodes: [
        node("flaky", { provides: [made], aspects: [retry(options)] }, (_values, { attempt }) =>
          as(() => {
            tries.push(attempt);
            if (attempt < succeedsAt) throw new Error(`try ${attempt}`);
            return { made: attempt };
          }),
        ),
      ],
    });

  test("CORE-16 a failing chain is run again until it succeeds; the try counts from 1", async () => {
    const tries: number[] = [];
    expect((await run(flaky({ limit: 5 }, 3, tries), {})).values.made).toBe(3);
    expect(tries).toEqual([1, 2, 3]);
  });

  test.each([1, 2, 4])("CORE-16 a limit of %i counts all tries, the first included", async (limit) => {
    const tries: number[] = [];
    const failed = await rejectionOf(run(flaky({ limit }, 99, tries), {}), "PULSE_EXECUTION_FAILED");
    expect(tries).toHaveLength(limit);
    expect((failed.cause as Error).message).toBe(`try ${limit}`);
    expect(failed.details.others).toEqual([]);
  });

  test("CORE-16 when says which failures are worth another try", async () => {
    const asked: unknown[] = [];
    const tries: number[] = [];
    const when = (error: unknown, failed: number): boolean => (
      asked.push([(error as Error).message, failed]),
      failed < 2
    );
    const failed = await rejectionOf(run(flaky({ limit: 9, when }, 99, tries), {}), "PULSE_EXECUTION_FAILED");
    expect((failed.cause as Error).message).toBe("try 2");
    expect(asked).toEqual([
      ["try 1", 1],
      ["try 2", 2],
    ]);
    expect(tries).toEqual([1, 2]);
  });

  test("CORE-16 a when that throws fails the node with what it threw", async () => {
    const broken = new Error("when");
    const when = (): boolean => {
      throw broken;
    };
    expect((await rejectionOf(run(flaky({ limit: 3, when }, 9), {}), "PULSE_EXECUTION_FAILED")).cause).toBe(broken);
  });

  test("CORE-16 skip and no-value signals are not tried again", async () => {
    const tries: string[] = [];
    const skipping = graph("skipping", {
      outputs: [made],
      nodes: [
        node("none", { provides: [empty], aspects: [retry({ limit: 3 })] }, (_values, context) =>
          as(() => (tries.push("none"), context.skip())),
        ),
        node("half", { provides: [made] }, () => as(() => ({ made: 1 }))),
        node("reads", { requires: [empty, made], aspects: [retry({ limit: 3 })] }, (values) =>
          as(() => {
            tries.push("reads");
            expect(values.empty).toBeDefined();
          }),
        ),
      ],
    });
    const log = eventLog();
    expect((await run(skipping, {}, { observers: [log.observer] })).values.made).toBe(1);
    expect(tries).toEqual(["none", "reads"]);
    expect([log.reasonOf("none"), log.reasonOf("reads")]).toEqual(["skipped", "skipped"]);
    expect(log.lines().filter((line) => line.startsWith("attempt-failed"))).toEqual([]);
  });

  const delays: readonly (readonly [string, RetryOptions, readonly number[]])[] = [
    ["no delay by default", { limit: 4 }, []],
    ["a constant delay", { limit: 4, delay: 100 }, [100, 100, 100]],
    ["a constant delay by name", { limit: 3, delay: 100, backoff: "constant", jitter: false }, [100, 100]],
    ["an exponential delay", { limit: 5, delay: 100, backoff: "exponential" }, [100, 200, 400, 800]],
    ["a delay by function of the failed tries", { limit: 4, backoff: (failed) => failed * 7 }, [7, 14, 21]],
  ];

  test.each(delays)("CORE-16 %s", async (_name, options, expected) => {
    const host = fakeHost();
    const running = rejectionOf(run(flaky(options, 99), {}, { host }), "PULSE_EXECUTION_FAILED");
    await host.advance(10_000);
    await running;
    expect(host.delays).toEqual(expected);
    expect(host.armed).toBe(0);
  });

  test.each([true, 0.5])("CORE-16 a jitter of %s takes its fraction off by the host's randomness", async (jitter) => {
    const [host, same] = [fakeHost({ seed: 7 }), fakeHost({ seed: 7 })];
    const running = rejectionOf(
      run(flaky({ limit: 6, delay: 100, jitter }, 99), {}, { host }),
      "PULSE_EXECUTION_FAILED",
    );
    await host.advance(10_000);
    await running;
    const fraction = Number(jitter);
    expect(host.delays).toEqual(host.delays.map(() => 100 * (1 - fraction * same.random())));
    expect(new Set(host.delays).size).toBe(5);
  });

  test("CORE-16 the next try does not start before its delay is over", async () => {
    const host = fakeHost();
    const tries: number[] = [];
    const running = run(flaky({ limit: 2, delay: 100 }, 2, tries), {}, { host });
    await host.advance(99);
    expect(tries).toEqual([1]);
    await host.advance(1);
    expect((await running).values.made).toBe(2);
  });

  test("CORE-16 cancellation of the execution is not tried again, and a wait between tries ends at once", async () => {
    const host = fakeHost();
    const tries: number[] = [];
    const handle = execution(flaky({ limit: 9, delay: 1_000 }, 99, tries), {}, { host });
    handle.start();
    await turn();
    handle.cancel("enough");
    expect((await rejectionOf(handle.wait(), "PULSE_INTERRUPTED")).cause).toBe("enough");
    expect([tries, host.armed]).toEqual([[1], 0]);
  });

  test("G16 CORE-38 a delay of 2^31 ms or Infinity does not fire early", async () => {
    for (const delay of [2 ** 31, Infinity]) {
      const host = fakeHost();
      const tries: number[] = [];
      const handle = execution(flaky({ limit: 2, delay }, 2, tries), {}, { host });
      handle.start();
      await host.advance(2 ** 31 - 1);
      expect(tries).toEqual([1]);
      handle.cancel();
      await rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
      expect(host.armed).toBe(0);
    }
  });

  test("CORE-16 one retry inside another multiplies the tries", async () => {
    const tries: number[] = [];
    const nested = graph("nested", {
      nodes: [
        node("n", { aspects: [retry({ limit: 2 }), retry({ limit: 3 })] }, (_values, { attempt }) =>
          as(() => {
            tries.push(attempt);
            throw new Error("no");
          }),
        ),
      ],
    });
    await rejectionOf(run(nested, {}), "PULSE_EXECUTION_FAILED");
    expect(tries).toEqual([1, 2, 3, 1, 2, 3]);
  });
});

test("CORE-16 a body that fails because the execution was cancelled is not tried again", async () => {
  const tries: number[] = [];
  const listening = graph("listening", {
    nodes: [
      node("n", { aspects: [retry({ limit: 5 })] }, async (_values, { signal, attempt }) => {
        tries.push(attempt);
        await aborted(signal).catch(() => Promise.reject(new Error("wrapped")));
      }),
    ],
  });
  const handle = execution(listening, {});
  handle.start();
  await turn();
  handle.cancel("enough");
  await rejectionOf(handle.wait(), "PULSE_INTERRUPTED");
  expect(tries).toEqual([1]);
});

test("G15 CORE-15 CORE-16 each try has a fresh signal, and its error knows nothing of the first", async () => {
  const host = fakeHost();
  const signals: AbortSignal[] = [];
  const second = new Error("second");
  const trying = graph("trying", {
    nodes: [
      node("n", { aspects: [retry({ limit: 2 }), timeout(100)] }, async (_values, { signal, attempt }) => {
        signals.push(signal);
        expect(signal.aborted).toBe(false);
        if (attempt === 1) await aborted(signal);
        throw second;
      }),
    ],
  });
  const running = rejectionOf(run(trying, {}, { host }), "PULSE_EXECUTION_FAILED");
  await host.advance(100);
  const failed = await running;
  expect(failed.cause).toBe(second);
  expect([second.cause, failed.details.others]).toEqual([undefined, []]);
  expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  expectCode(signals[0]?.reason, "PULSE_TIMEOUT");
});

test("CORE-16 a timeout around a retry ends all its tries and the wait between them", async () => {
  const host = fakeHost();
  const tries: number[] = [];
  const trying = graph("trying", {
    nodes: [
      node("n", { aspects: [timeout(250), retry({ limit: 9, delay: 100 })] }, async (_values, { attempt }) => {
        tries.push(attempt);
        throw new Error("again");
      }),
    ],
  });
  const running = rejectionOf(run(trying, {}, { host }), "PULSE_EXECUTION_FAILED");
  await host.advance(10_000);
  expectCode((await running).cause, "PULSE_TIMEOUT");
  expect([tries, host.armed]).toEqual([[1, 2, 3], 0]);
});

test("CORE-15 CORE-16 a timeout inside a retry that the body ignores: the next try starts without waiting for it", async () => {
  const host = fakeHost();
  const tries: number[] = [];
  const trying = graph("trying", {
    outputs: [made],
    nodes: [
      node("n", { provides: [made], aspects: [retry({ limit: 2 }), timeout(100)] }, async (_values, { attempt }) => {
        tries.push(attempt);
        return attempt === 1 ? never<{ made: number }>() : { made: attempt };
      }),
    ],
  });
  const running = run(trying, {}, { host });
  await host.advance(100);
  expect(tries).toEqual([1, 2]);
  await host.advance(10_000);
  expect((await running).values.made).toBe(2);
});

test.each([0, -1, 1.5, Number.NaN, Infinity, "3", undefined])(
  "CORE-16 a limit of %s is refused where the retry is made",
  (limit) => {
    const error = expectCode(
      thrownBy(() => retry({ limit: limit as number })),
      "PULSE_INVALID",
    );
    expect(error.details.problems[0]?.message).toContain("limit");
  },
);

test.each([
  ["a negative delay", { limit: 2, delay: -1 }],
  ["a jitter above 1", { limit: 2, jitter: 2 }],
  ["an unknown option", { limit: 2, retries: 3 } as RetryOptions],
  ["an unknown backoff", { limit: 2, backoff: "linear" as never }],
])("CORE-16 %s is refused where the retry is made", (_name, options) => {
  expectCode(
    thrownBy(() => retry(options)),
    "PULSE_INVALID",
  );
});

test("CORE-16 a mistyped option of a retry is told with the one that was meant", () => {
  const { details } = expectCode(
    thrownBy(() => retry({ limit: 2, dealy: 100 } as RetryOptions)),
    "PULSE_INVALID",
  );
  expect(details.problems).toEqual([
    { code: "PULSE_OPTION_INVALID", path: "retry", message: "option dealy is unknown; give delay" },
  ]);
});
