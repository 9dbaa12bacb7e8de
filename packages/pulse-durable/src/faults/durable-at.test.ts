import { graph, node } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import { apartStore } from "../testing/apart-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { crashGraph } from "../testing/graphs.ts";
import { durableAt, durableFaultPoints } from "./durable-at.ts";

const call = { runId: "run", version: "1" };
const build = () => crashGraph(() => {});

test("DUR-8 every fault point of a durable run is reached, and nothing is different when nothing is done there", async () => {
  const expected = await durable({ store: memoryStore() }).run(build(), { start: 5 }, call);
  const reached = new Set<string>();
  const store = apartStore();
  const pulse = durableAt({ store }, (point) => void reached.add(point));
  const outcome = await pulse.run(build(), { start: 5 }, call);
  expect(outcome.outputs).toEqual(expected.outputs);
  expect((await pulse.resume(build(), { start: 5 }, call)).outputs).toEqual(expected.outputs);
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
