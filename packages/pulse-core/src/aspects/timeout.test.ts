import { describe, expect, test } from "vitest";
import { aspect, graph, node, retry, run, timeout } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { aborted, deferred, never, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";

const made = numberKey("made");

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-15 a chain that is done in time is left alone, and no timer stays", async () => {
    const host = fakeHost();
    const quick = graph("quick", {
      outputs: [made],
      nodes: [
        node("n", { provides: [made], aspects: [timeout(100)] }, (_values, { signal }) =>
          as(() => ({ made: signal.aborted ? 0 : 1 })),
        ),
      ],
    });
    expect((await run(quick, {}, { host })).values.made).toBe(1);
    expect(host.armed).toBe(0);
  });

  test("CORE-15 a failure in time is the chain's own, and no timer stays", async () => {
    const host = fakeHost();
    const failure = new Error("own");
    const failing = graph("failing", {
      nodes: [
        node("n", { aspects: [timeout(100)] }, () =>
          as(() => {
            throw failure;
          }),
        ),
      ],
    });
    expect((await rejectionOf(run(failing, {}, { host }), "PULSE_EXECUTION_FAILED")).cause).toBe(failure);
    expect(host.armed).toBe(0);
  });
});

test("CORE-15 CORE-37 a timeout fails the chain inside it and aborts its signal, with one TimeoutError", async () => {
  const host = fakeHost();
  const reasons: unknown[] = [];
  const caught: unknown[] = [];
  const watching = aspect("watching", async ({ signal }, next) => {
    await next().catch((error: unknown) => {
      caught.push(error);
      reasons.push(signal.aborted);
      throw error;
    });
  });
  const slow = graph("slow", {
    nodes: [
      node("n", { aspects: [watching, timeout(100)] }, async (_values, { signal }) => {
        await aborted(signal).catch((reason: unknown) => reasons.push(reason));
        signal.throwIfAborted();
      }),
    ],
  });
  const running = rejectionOf(run(slow, {}, { host }), "PULSE_EXECUTION_FAILED");
  await host.advance(100);
  const { cause } = await running;
  expect(expectCode(cause, "PULSE_TIMEOUT").details).toEqual({ path: "n", timeoutMs: 100 });
  expect(caught).toEqual([cause]);
  // The aspect outside the timeout has a healthy signal; the body's was aborted with the very error.
  expect(new Set(reasons)).toEqual(new Set([false, cause]));
});

test("CORE-15 later writes of a body that ignores its signal are refused", async () => {
  const host = fakeHost();
  const gate = deferred();
  const refused = deferred<unknown>();
  const rescuing = aspect("rescuing", async (context, next) => {
    await next().catch(() => context.set(made, 1));
  });
  const ignoring = graph("ignoring", {
    outputs: [made],
    nodes: [
      node("n", { provides: [made], aspects: [rescuing, timeout(100)] }, async (_values, context) => {
        await gate.promise;
        refused.resolve(thrownBy(() => context.set(made, 2)));
        return { made: 3 };
      }),
    ],
  });
  const running = run(ignoring, {}, { host });
  await host.advance(100);
  gate.resolve();
  expectCode(await refused.promise, "PULSE_USAGE");
  expect((await running).values.made).toBe(1);
});

test.each([
  ["rejection", () => Promise.reject(new Error("late"))],
  ["result", () => Promise.resolve()],
])("CORE-15 CORE-32 a later %s of a given-up body is reported as an event and never escapes", async (_name, end) => {
  const host = fakeHost();
  const gate = deferred();
  const log = eventLog();
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    const ignoring = graph("ignoring", {
      outputs: [made],
      nodes: [
        node("n", { provides: [made], aspects: [retry({ limit: 2 }), timeout(100)] }, async (_values, { attempt }) => {
          if (attempt === 1) {
            await gate.promise;
            await end();
          }
          return { made: attempt };
        }),
      ],
    });
    const running = run(ignoring, {}, { host, observers: [log.observer] });
    await host.advance(100);
    gate.resolve();
    expect((await running).values.made).toBe(2);
    await turn();
    const late = log.events.filter((event) => event.kind === "late-settled");
    expect(late).toHaveLength(1);
    expect(late[0]?.path).toBe("n");
    expect(unhandled).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

test("CORE-15 the shorter of two timeouts fires, once", async () => {
  const host = fakeHost();
  const log = eventLog();
  const slow = graph("slow", {
    nodes: [node("n", { aspects: [timeout(300), timeout(100)] }, async (_values, { signal }) => aborted(signal))],
  });
  const running = rejectionOf(run(slow, {}, { host, observers: [log.observer] }), "PULSE_EXECUTION_FAILED");
  await host.advance(1_000);
  expect(expectCode((await running).cause, "PULSE_TIMEOUT").details.timeoutMs).toBe(100);
  expect(host.armed).toBe(0);
});

test("CORE-15 a timeout that is longer than another node's failure leaves no timer", async () => {
  const host = fakeHost();
  const failure = new Error("first");
  const failing = graph("failing", {
    nodes: [
      node("slow", { aspects: [timeout(1_000)] }, async (_values, { signal }) => aborted(signal)),
      node("fails", {}, async () => {
        await turn();
        throw failure;
      }),
    ],
  });
  expect((await rejectionOf(run(failing, {}, { host }), "PULSE_EXECUTION_FAILED")).cause).toBe(failure);
  expect(host.armed).toBe(0);
});

test("G16 CORE-38 an infinite timeout never fires and takes no timer", async () => {
  const host = fakeHost();
  const gate = deferred();
  const patient = graph("patient", { nodes: [node("n", { aspects: [timeout(Infinity)] }, () => gate.promise)] });
  const running = run(patient, {}, { host });
  await host.advance(2 ** 40);
  gate.resolve();
  expect((await running).outputs).toEqual({});
  expect(host.delays).toEqual([]);
});

test("G16 CORE-38 a timeout above 2^31 ms fires when it is due, not before", async () => {
  const host = fakeHost();
  const ms = 2 ** 31 + 100;
  const slow = graph("slow", { nodes: [node("n", { aspects: [timeout(ms)] }, () => never())] });
  const running = rejectionOf(run(slow, {}, { host, drainTimeout: 0 }), "PULSE_EXECUTION_FAILED");
  await host.advance(ms - 1);
  expect(host.armed).toBe(1);
  await host.advance(2);
  expect(expectCode((await running).cause, "PULSE_TIMEOUT").details.timeoutMs).toBe(ms);
});

test.each([-1, Number.NaN, "5"])("CORE-15 a time of %s is refused where the timeout is made", (ms) => {
  expectCode(
    thrownBy(() => timeout(ms as number)),
    "PULSE_INVALID",
  );
});
