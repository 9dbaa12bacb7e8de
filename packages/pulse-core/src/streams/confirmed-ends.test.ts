import { expect, test } from "vitest";
import { node, type } from "../index.ts";
import { boom, started } from "../testing/confirmed-runs.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { rejectionOf } from "../testing/rejection.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { stream } from "./index.ts";

test("CKPT-34 STR-25 the failure that sets off fail-fast has its ends confirmed, one that comes after it has not", async () => {
  const own = streamHooksOfTest();
  const held = own.hold("finish");
  const [first, second] = [deferred(), deferred()];
  const a = stream("a", type<number>("number"), { capacity: 1 });
  const b = stream("b", type<number>("number"), { capacity: 1 });
  const one = node("one", { provides: [a] }, async (_, { open }) => {
    await open(a);
    await first.promise;
    throw boom;
  });
  const two = node("two", { provides: [b] }, async (_, { open }) => {
    await open(b);
    await second.promise;
    throw new Error("after the first");
  });
  const read = node("read", { requires: [a, b] }, async ({ a: readA, b: readB }) => {
    await Promise.allSettled([readA.receive(), readB.receive()]);
  });
  const running = started([one, two, read], own);
  await turn();
  first.resolve();
  const { signal } = await held.reached;
  expect(signal.aborted).toBe(false);
  second.resolve();
  await turn();
  held.release();
  const error = await rejectionOf(running.wait(), "PULSE_EXECUTION_FAILED");
  expect(error.cause).toBe(boom);
  expect(own.lines.filter((line) => line.startsWith("finish"))).toEqual(["finish one"]);
});
