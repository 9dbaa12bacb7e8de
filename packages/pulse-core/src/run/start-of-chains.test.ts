import { describe, expect, test } from "vitest";
import { aspect, execution, graph, node, optional, run, timeout } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";

const left = numberKey("left");
const right = numberKey("right");
const sum = numberKey("sum");

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-5 a chain starts when each required key is decided, aspects included", async () => {
    const [first, second] = [deferred(), deferred()];
    const entered: string[] = [];
    const watching = aspect("watching", async (context, next) => {
      entered.push(`aspect of ${context.nodeId}`);
      await next();
    });
    const joining = graph("joining", {
      inputs: [],
      outputs: [sum],
      nodes: [
        node("first", { provides: [left] }, async () => (await first.promise, { left: 1 })),
        node("second", { provides: [right] }, async () => (await second.promise, { right: 2 })),
        node("join", { requires: [left, right], provides: [sum], aspects: [watching] }, (values) =>
          as(() => (entered.push("body of join"), { sum: values.left + values.right })),
        ),
      ],
    });
    const outcome = run(joining, {});
    await turn();
    expect(entered).toEqual([]);
    first.resolve();
    await turn();
    expect(entered).toEqual([]);
    second.resolve();
    expect((await outcome).values.sum).toBe(3);
    expect(entered).toEqual(["aspect of join", "body of join"]);
  });

  test("CORE-5 no timeout counts the waiting for required keys", async () => {
    const host = fakeHost();
    const gate = deferred();
    const waiting = graph("waiting", {
      inputs: [],
      outputs: [sum],
      nodes: [
        node("slow", { provides: [left] }, async () => (await gate.promise, { left: 1 })),
        node("quick", { requires: [left], provides: [sum], aspects: [timeout(10)] }, (values) =>
          as(() => ({ sum: values.left })),
        ),
      ],
    });
    const outcome = run(waiting, {}, { host });
    await host.advance(10_000);
    gate.resolve();
    expect((await outcome).values.sum).toBe(1);
  });

  test("CORE-6 a node whose keys are all skipped does not start, and the skip goes on down", async () => {
    const log = eventLog();
    const entered: string[] = [];
    const watching = aspect("watching", async (context, next) => {
      entered.push(context.nodeId);
      await next();
    });
    const last = numberKey("last");
    const skipping = graph("skipping", {
      inputs: [],
      outputs: [last, sum],
      nodes: [
        node("none", { provides: [left, right] }, (_values, context) => as(() => context.skip())),
        node("join", { requires: [left, optional(right)], provides: [sum], aspects: [watching] }, () =>
          as(() => (entered.push("body"), { sum: 1 })),
        ),
        node("after", { requires: [sum], provides: [last], aspects: [watching] }, () => as(() => ({ last: 1 }))),
      ],
    });
    const outcome = await run(skipping, {}, { observers: [log.observer] });
    expect(outcome.outputs).toEqual({ last: { state: "skipped" }, sum: { state: "skipped" } });
    expect(entered).toEqual([]);
    expect(log.lines("join")).toEqual(["node-waiting join", "node-finished join"]);
    expect([log.reasonOf("none"), log.reasonOf("join"), log.reasonOf("after")]).toEqual([
      "skipped",
      "skipped",
      "skipped",
    ]);
  });

  test("CORE-6 a node that requires optional keys only always runs", async () => {
    const skipping = graph("skipping", {
      inputs: [],
      outputs: [sum],
      nodes: [
        node("none", { provides: [left, right] }, (_values, context) => as(() => context.skip())),
        node("join", { requires: [optional(left), optional(right)], provides: [sum] }, (values) =>
          as(() => ({ sum: (values.left ?? 10) + (values.right ?? 20) })),
        ),
      ],
    });
    expect((await run(skipping, {})).values.sum).toBe(30);
  });

  test("CORE-6 a node that requires nothing runs", async () => {
    const alone = graph("alone", {
      inputs: [],
      outputs: [sum],
      nodes: [node("one", { provides: [sum] }, () => as(() => ({ sum: 1 })))],
    });
    expect((await run(alone, {})).values.sum).toBe(1);
  });
});

test("CORE-5 a node with one pending key has not started when the snapshot is taken", async () => {
  const gate = deferred();
  const waiting = graph("waiting", {
    inputs: [],
    outputs: [sum],
    nodes: [
      node("slow", { provides: [left] }, async () => (await gate.promise, { left: 1 })),
      node("quick", { provides: [right] }, () => ({ right: 2 })),
      node("join", { requires: [left, right], provides: [sum] }, (values) => ({ sum: values.left + values.right })),
    ],
  });
  const handle = execution(waiting, {});
  handle.start();
  await turn();
  const states = Object.fromEntries(handle.snapshot().nodes.map(({ path, state }) => [path, state]));
  expect(states).toEqual({ slow: "running", quick: "finished", join: "waiting" });
  gate.resolve();
  await handle.wait();
});
