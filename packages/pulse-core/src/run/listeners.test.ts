import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { graph, mount, node, retry, run, timeout } from "../index.ts";
import { aborted, deferred, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { rejectionOf } from "../testing/rejection.ts";

const listenersOn = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

/** Runs the work and gives the warnings that the platform raised meanwhile. */
async function warningsDuring(work: () => Promise<void>): Promise<string[]> {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.name);
  process.on("warning", note);
  try {
    await work();
    await turn();
    return warnings;
  } finally {
    process.off("warning", note);
  }
}

test("G12 CORE-38 at most one listener is on the caller's signal while 1,000 nodes run, none afterwards", async () => {
  const caller = new AbortController();
  const gate = deferred();
  let running = 0;
  const many = Array.from({ length: 1_000 }, (_value, index) =>
    node(
      `n${index}`,
      { aspects: [retry({ limit: 20, delay: 1 }), timeout(5_000)] },
      async (_values, { signal, attempt }) => {
        if (attempt < 20) throw new Error("again");
        running += signal.aborted ? 0 : 1;
        await Promise.race([gate.promise, aborted(signal)]);
      },
    ),
  );
  const inner = graph("inner", { nodes: many });
  const outer = graph("outer", {
    nodes: [mount("child", inner, {}), mount("other", inner, { aspects: [timeout(60_000)] })],
  });
  const host = fakeHost();
  const warnings = await warningsDuring(async () => {
    const outcome = run(outer, {}, { signal: caller.signal, host });
    for (let tries = 0; tries < 20; tries++) await host.advance(1);
    expect(running).toBe(2_000);
    expect(listenersOn(caller.signal)).toBeLessThanOrEqual(1);
    gate.resolve();
    await outcome;
  });
  expect(listenersOn(caller.signal)).toBe(0);
  expect(warnings).toEqual([]);
  expect(host.armed).toBe(0);
});

test("G12 CORE-38 no listener is left after a failure, an interruption or a refused start", async () => {
  const caller = new AbortController();
  const failing = graph("failing", { nodes: [node("fails", {}, async () => Promise.reject(new Error("no")))] });
  await rejectionOf(run(failing, {}, { signal: caller.signal }), "PULSE_EXECUTION_FAILED");
  expect(listenersOn(caller.signal)).toBe(0);
  // TypeScript refuses an unknown input; a JavaScript user gets the error at the start.
  await rejectionOf(run(failing, { stranger: 1 } as never, { signal: caller.signal }), "PULSE_INVALID");
  expect(listenersOn(caller.signal)).toBe(0);
  const listening = graph("listening", {
    nodes: [node("listens", {}, async (_values, { signal }) => aborted(signal))],
  });
  const interrupted = rejectionOf(run(listening, {}, { signal: caller.signal }), "PULSE_INTERRUPTED");
  await turn();
  caller.abort();
  await interrupted;
  expect(listenersOn(caller.signal)).toBe(0);
});

test("G12 CORE-38 many executions on one signal each take at most one listener", async () => {
  const caller = new AbortController();
  const gate = deferred();
  const gated = graph("gated", { nodes: [node("gated", { aspects: [timeout(1_000)] }, () => gate.promise)] });
  const host = fakeHost();
  const runs = Array.from({ length: 8 }, () => run(gated, {}, { signal: caller.signal, host }));
  await turn();
  expect(listenersOn(caller.signal)).toBeLessThanOrEqual(8);
  gate.resolve();
  await Promise.all(runs);
  expect(listenersOn(caller.signal)).toBe(0);
});
