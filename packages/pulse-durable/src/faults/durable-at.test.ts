import { graph, node, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import { apartStore } from "../testing/apart-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { crashGraph } from "../testing/graphs.ts";
import { durableAt, durableFaultPoints } from "./durable-at.ts";

const call = { runId: "run", version: "1" };
const build = () => crashGraph(() => {});

const numbers = stream("numbers", type<number>("number"), { capacity: 4 });

/** A message whose handler fails at its first try, and a writer that may fail behind it. */
function streaming(writerFails: boolean) {
  let tries = 0;
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    await (await open(numbers)).send(1);
    if (writerFails) throw new Error("the writer fails");
    return {};
  });
  const read = node("read", { requires: [numbers] }, async ({ numbers }) => {
    const failingOnce = (): void => {
      tries += 1;
      if (tries === 1) throw new Error("the first try fails");
    };
    await handleMessages(numbers, failingOnce, { limit: 2 });
  });
  return graph("streaming", { nodes: [write, read] });
}

test("DUR-8 every fault point of a durable run is reached, and nothing is different when nothing is done there", async () => {
  const expected = await durable({ store: memoryStore() }).run(build(), { start: 5 }, call);
  const reached = new Set<string>();
  const store = apartStore();
  const pulse = durableAt({ store }, (point) => void reached.add(point));
  const outcome = await pulse.run(build(), { start: 5 }, call);
  expect(outcome.outputs).toEqual(expected.outputs);
  expect((await pulse.resume(build(), { start: 5 }, call)).outputs).toEqual(expected.outputs);
  expect((await pulse.run(streaming(false), {}, { ...call, runId: "streams" })).outputs).toEqual({});
  await rejectionOf("PULSE_RUN_FAILED", pulse.run(streaming(true), {}, { ...call, runId: "failing" }));
  expect([...reached].toSorted()).toEqual([...durableFaultPoints].toSorted());
  expect((await pulse.inspect("run")).status).toBe("completed");
  await pulse.close();
});

test("DUR-8 a fault point comes in the order of what it stands around, and may wait", async () => {
  const order: string[] = [];
  const one = graph("one", { nodes: [node("one", {}, () => void order.push("body"))] });
  const pulse = durableAt({ store: memoryStore() }, async (point) => {
    await Promise.resolve();
    order.push(point);
  });
  await pulse.run(one, {}, { ...call, observers: [({ kind }) => void order.push(kind)] });
  expect(order).toEqual([
    "acquire before",
    "acquire after",
    "load before",
    "save before",
    "save after",
    "run-opened",
    "run-saved",
    "execution-started",
    "node-waiting",
    "hook openAttempt before",
    "hook openAttempt after",
    "node-running",
    "body",
    "hook commit before",
    "save before",
    "save after",
    "run-saved",
    "hook commit after",
    "node-finished",
    "execution-finished",
    "close before",
    "close after",
    "run-stopped",
  ]);
});

test("DUR-12 DUR-21 what is thrown at a fault point is the error of that call", async () => {
  const cause = new Error("here");
  const throwingAt = (fault: string) =>
    durableAt({ store: memoryStore() }, (point) => {
      if (point === fault) throw cause;
    });
  for (const fault of [
    "hook openAttempt before",
    "hook commit after",
    "hook failAttempt before",
    "hook openChild after",
  ]) {
    const error = await rejectionOf("PULSE_CHECKPOINT", throwingAt(fault).run(build(), { start: 5 }, call));
    expect([error.cause, error.details.hook]).toEqual([cause, fault.split(" ")[1]]);
  }
  for (const fault of ["acquire before", "load before", "save before", "save after"]) {
    expect((await rejectionOf("PULSE_STORE", throwingAt(fault).run(build(), { start: 5 }, call))).cause).toBe(cause);
  }
  await rejectionOf(
    "PULSE_INVALID",
    Promise.resolve().then(() => durableAt({} as never, () => {})),
  );
});
