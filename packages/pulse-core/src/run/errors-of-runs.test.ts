import { expect, test, vi } from "vitest";
import { graph, isPulseError, mount, node, PulseError, run, timeout } from "../index.ts";
import { never, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejection, rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const failing = graph("failing", { nodes: [node("fails", {}, () => Promise.reject(new Error("no")))] });

test("CORE-34 what a run rejects with is a PulseError with a code, the node's path and the original cause", async () => {
  const outer = graph("outer", { nodes: [mount("child", failing)] });
  const error = await rejection(run(outer, {}));
  expect(error).toBeInstanceOf(PulseError);
  expect(error).toBeInstanceOf(Error);
  const { code, details, name, message, cause } = expectCode(error, "PULSE_EXECUTION_FAILED");
  expect([name, code, details.path]).toEqual(["PulseError", "PULSE_EXECUTION_FAILED", "child/fails"]);
  expect((cause as Error).message).toBe("no");
  for (const part of ['"outer"', '"child/fails"', "no"]) expect(message).toContain(part);
});

test("CORE-34 a code tells one error from another", async () => {
  const error = await rejection(run(failing, {}));
  expect(isPulseError(error)).toBe(true);
  expect(isPulseError(error, "PULSE_EXECUTION_FAILED")).toBe(true);
  expect(isPulseError(error, "PULSE_INTERRUPTED")).toBe(false);
  expect(isPulseError((error as Error).cause)).toBe(false);
});

test("CORE-34 two copies of the package agree on each other's errors", async () => {
  vi.resetModules();
  const other = await import("../index.ts");
  expect(other.PulseError).not.toBe(PulseError);
  const error = await rejection(
    other.run(other.graph("f", { nodes: [other.node("n", {}, () => Promise.reject(1))] }), {}),
  );
  expect(error).not.toBeInstanceOf(PulseError);
  expect(isPulseError(error, "PULSE_EXECUTION_FAILED")).toBe(true);
});

test("CORE-34 CORE-7 a skip signal of another copy skips a node all the same", async () => {
  vi.resetModules();
  const other = await import("../index.ts");
  const foreign: unknown[] = [];
  const skipping = other.graph("s", {
    nodes: [
      other.node("n", {}, (_values, context) => {
        try {
          context.skip();
        } catch (signal) {
          foreign.push(signal);
        }
      }),
    ],
  });
  await other.run(skipping, {});
  const here = graph("here", {
    outputs: [made],
    nodes: [
      node("n", { provides: [made] }, () => {
        throw foreign[0];
      }),
    ],
  });
  expect((await run(here, {})).outputs).toEqual({ made: { state: "skipped" } });
});

test("CORE-34 CORE-15 a timeout names the node and the time", async () => {
  const host = fakeHost();
  const slow = graph("slow", { nodes: [node("waits", { aspects: [timeout(1_500)] }, () => never())] });
  const running = rejectionOf(run(slow, {}, { host, drainTimeout: 0 }), "PULSE_EXECUTION_FAILED");
  await host.advance(2_000);
  const { cause } = await running;
  const { message, details } = expectCode(cause, "PULSE_TIMEOUT");
  expect([message.includes('"waits"'), message.includes("1500 ms"), details]).toEqual([
    true,
    true,
    { path: "waits", timeoutMs: 1_500 },
  ]);
});

test("CORE-34 CORE-43 the error that a caller holds does not change when an abandoned body ends", async () => {
  const host = fakeHost();
  let fail = (): void => {};
  const late = graph("late", {
    nodes: [
      node("late", {}, () => new Promise<void>((_resolve, reject) => (fail = () => reject(new Error("late"))))),
      node("fails", {}, async () => Promise.reject(new Error("no"))),
    ],
  });
  const running = rejectionOf(run(late, {}, { host, drainTimeout: 0 }), "PULSE_EXECUTION_FAILED");
  await host.advance(1);
  const { details } = await running;
  const before = JSON.stringify(details);
  fail();
  await turn();
  expect(JSON.stringify(details)).toBe(before);
  expect(details.abandoned).toEqual(["late"]);
});
