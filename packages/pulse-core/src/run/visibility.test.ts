import { expect, test } from "vitest";
import { graph, node, retry, run } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { rejection } from "../testing/rejection.ts";

const early = numberKey("early");
const late = numberKey("late");
const seen = numberKey("seen");

test("CORE-10 a write is visible at once: a reader starts before the writer ends", async () => {
  const gate = deferred();
  const read = deferred<number>();
  const log = eventLog();
  const streaming = graph("streaming", {
    inputs: [],
    outputs: [late, seen],
    nodes: [
      node("writer", { provides: [early, late] }, async (_values, context) => {
        const settled = context.set(early, 1);
        await gate.promise;
        return { early: settled, late: 2 };
      }),
      node("reader", { requires: [early], provides: [seen] }, (values) => {
        read.resolve(values.early);
        return { seen: values.early };
      }),
    ],
  });
  const outcome = run(streaming, {}, { observers: [log.observer] });
  expect(await read.promise).toBe(1);
  await turn();
  expect(log.reasonOf("reader")).toBe("completed");
  expect(log.reasonOf("writer")).toBeUndefined();
  gate.resolve();
  expect((await outcome).values.late).toBe(2);
});

test("CORE-10 a skip by name is visible at once", async () => {
  const gate = deferred();
  const log = eventLog();
  const streaming = graph("streaming", {
    inputs: [],
    outputs: [seen],
    nodes: [
      node("writer", { provides: [early] }, async (_values, context) => {
        const settled = context.skip(early);
        await gate.promise;
        return { early: settled };
      }),
      node("reader", { requires: [early], provides: [seen] }, (values) => ({ seen: values.early })),
    ],
  });
  const outcome = run(streaming, {}, { observers: [log.observer] });
  await turn();
  expect(log.reasonOf("reader")).toBe("skipped");
  expect(log.reasonOf("writer")).toBeUndefined();
  gate.resolve();
  await outcome;
});

test("CORE-10 what a writer published before it failed was read, and the run fails all the same", async () => {
  const read = deferred();
  const failure = new Error("after the write");
  const streaming = graph("streaming", {
    inputs: [],
    outputs: [seen],
    nodes: [
      node("writer", { provides: [early] }, async (_values, context) => {
        context.set(early, 1);
        await read.promise;
        throw failure;
      }),
      node("reader", { requires: [early], provides: [seen] }, (values) => (read.resolve(), { seen: values.early })),
    ],
  });
  expect(await rejection(run(streaming, {}))).toMatchObject({ code: "PULSE_EXECUTION_FAILED", cause: failure });
});

test("CORE-10 a retry holds writes back until the try has succeeded", async () => {
  const gate = deferred();
  const log = eventLog();
  const holding = graph("holding", {
    inputs: [],
    outputs: [seen],
    nodes: [
      node("writer", { provides: [early], aspects: [retry({ limit: 2 })] }, async (_values, context) => {
        const settled = context.set(early, context.attempt);
        await gate.promise;
        if (context.attempt === 1) throw new Error("first try");
        return { early: settled };
      }),
      node("reader", { requires: [early], provides: [seen] }, (values) => ({ seen: values.early })),
    ],
  });
  const outcome = run(holding, {}, { observers: [log.observer] });
  await turn();
  expect(log.lines("reader")).toEqual(["node-waiting reader"]);
  gate.resolve();
  expect((await outcome).values.seen).toBe(2);
});
