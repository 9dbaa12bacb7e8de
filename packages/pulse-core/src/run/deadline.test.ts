import { expect, test } from "vitest";
import { graph, node, retry, run, timeout } from "../index.ts";
import { aborted, deferred } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const listening = () =>
  graph("listening", {
    inputs: [],
    outputs: [],
    nodes: [node("listens", {}, async (_values, { signal }) => aborted(signal))],
  });

const now = 1_700_000_000_000;

test.each([
  ["a timeout", { timeout: 500 }],
  ["a deadline as a date", { deadline: new Date(now + 500) }],
  ["a deadline as milliseconds of the epoch", { deadline: now + 500 }],
  ["both, the timeout being earlier", { timeout: 500, deadline: now + 900 }],
  ["both, the deadline being earlier", { timeout: 900, deadline: now + 500 }],
])("CORE-46 CORE-29 %s of the execution interrupts it, with a TimeoutError as the reason", async (_name, options) => {
  const host = fakeHost({ now });
  const running = run(listening(), {}, { host, ...options });
  const settled: string[] = [];
  running.catch(() => settled.push("end"));
  await host.advance(499);
  expect(settled).toEqual([]);
  await host.advance(1);
  expect(settled).toEqual(["end"]);
  const interrupted = await rejectionOf(running, "PULSE_INTERRUPTED");
  expectCode(interrupted.cause, "PULSE_TIMEOUT");
  expect(host.armed).toBe(0);
});

test("CORE-46 CORE-37 a body learns of the deadline by the very error that the run rejects with as its cause", async () => {
  const host = fakeHost({ now });
  const reasons: unknown[] = [];
  const watching = graph("watching", {
    inputs: [],
    outputs: [],
    nodes: [
      node("watches", {}, async (_values, { signal }) => {
        await aborted(signal).catch((reason: unknown) => reasons.push(reason));
      }),
    ],
  });
  const running = run(watching, {}, { host, timeout: 10 });
  const interrupted = rejectionOf(running, "PULSE_INTERRUPTED");
  await host.advance(10);
  expect(reasons).toEqual([(await interrupted).cause]);
});

test("CORE-46 a deadline that has passed lets nothing run", async () => {
  const host = fakeHost({ now });
  const started: string[] = [];
  const quick = graph("quick", {
    inputs: [],
    outputs: [],
    nodes: [node("quick", {}, () => void started.push("quick"))],
  });
  const interrupted = await rejectionOf(run(quick, {}, { host, deadline: now - 1 }), "PULSE_INTERRUPTED");
  expectCode(interrupted.cause, "PULSE_TIMEOUT");
  expect([started, host.armed]).toEqual([[], 0]);
});

test("CORE-46 the execution's deadline is no failure: a retry gives it no try", async () => {
  const host = fakeHost({ now });
  const tries: number[] = [];
  const trying = graph("trying", {
    inputs: [],
    outputs: [],
    nodes: [
      node("tries", { aspects: [retry({ limit: 5 })] }, async (_values, { signal, attempt }) => {
        tries.push(attempt);
        await aborted(signal);
      }),
    ],
  });
  const interrupted = rejectionOf(run(trying, {}, { host, timeout: 10 }), "PULSE_INTERRUPTED");
  await host.advance(10);
  await interrupted;
  expect(tries).toEqual([1]);
});

test("CORE-46 a timeout aspect is part of the business: it fails what it encloses", async () => {
  const host = fakeHost({ now });
  const timed = graph("timed", {
    inputs: [],
    outputs: [],
    nodes: [node("timed", { aspects: [timeout(10)] }, async (_values, { signal }) => aborted(signal))],
  });
  const failed = rejectionOf(run(timed, {}, { host }), "PULSE_EXECUTION_FAILED");
  await host.advance(10);
  expect(expectCode((await failed).cause, "PULSE_TIMEOUT").details).toMatchObject({ path: "timed", timeoutMs: 10 });
});

test("CORE-46 a run that ends before its deadline leaves no timer", async () => {
  const host = fakeHost({ now });
  await run(
    graph("quick", { inputs: [], outputs: [], nodes: [node("quick", {}, async () => {})] }),
    {},
    { host, timeout: 10 },
  );
  expect(host.armed).toBe(0);
});

test.each([
  ["a timeout of 2^31 ms", { timeout: 2 ** 31 }],
  ["a timeout of 2^33 ms", { timeout: 2 ** 33 }],
  ["an infinite timeout", { timeout: Infinity }],
  ["a deadline in a thousand years", { deadline: now + 365 * 86_400_000 * 1_000 }],
  ["an infinite deadline", { deadline: Infinity }],
])("G16 CORE-38 %s does not fire early", async (_name, options) => {
  const host = fakeHost({ now });
  const gate = deferred();
  const gated = graph("gated", { inputs: [], outputs: [], nodes: [node("gated", {}, () => gate.promise)] });
  const running = run(gated, {}, { host, ...options });
  await host.advance(2 ** 31 - 1);
  gate.resolve();
  expect((await running).abandoned).toEqual([]);
  expect(host.armed).toBe(0);
});

test("G16 CORE-38 a timeout of 2^31 ms fires when it is due", async () => {
  const host = fakeHost({ now });
  const interrupted = rejectionOf(run(listening(), {}, { host, timeout: 2 ** 31 + 5 }), "PULSE_INTERRUPTED");
  await host.advance(2 ** 31 + 5);
  expectCode((await interrupted).cause, "PULSE_TIMEOUT");
});

test("G16 CORE-38 on the platform's own timers a long timeout does not fire at once", async () => {
  const running = run(
    graph("turning", {
      inputs: [],
      outputs: [],
      nodes: [
        node("turns", { aspects: [timeout(2 ** 31), retry({ limit: 2 })] }, async () => {
          // A timer that overflowed is due after one millisecond, so it fires before this one.
          await new Promise((resolve) => setTimeout(resolve, 2));
        }),
      ],
    }),
    {},
    { timeout: 2 ** 31 },
  );
  expect((await running).outputs).toEqual({});
});
