import { describe, expect, test } from "vitest";
import { graph, isPulseError, node, optional, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";

const taken = numberKey("taken");
const left = numberKey("left");
const sum = numberKey("sum");
const other = numberKey("other");

const branch = node("branch", { provides: [taken, left] }, (_values, context) => ({
  taken: 1,
  left: context.skip(left),
}));

describe.each(bothWays)("$how", ({ as }) => {
  test("G2 CORE-7 reading a skipped key skips the node", async () => {
    const log = eventLog();
    const joining = graph("joining", {
      inputs: [],
      outputs: [sum, other],
      nodes: [
        branch,
        node("join", { requires: [taken, left], provides: [sum] }, (values) =>
          as(() => ({ sum: values.taken + values.left })),
        ),
        node("after", { requires: [sum, taken], provides: [other] }, (values) => as(() => ({ other: values.sum }))),
      ],
    });
    const outcome = await run(joining, {}, { observers: [log.observer] });
    expect(outcome.outputs).toEqual({ sum: { state: "skipped" }, other: { state: "skipped" } });
    expect(log.lines("join")).toEqual(["node-waiting join", "node-running join", "node-finished join"]);
    expect(log.reasonOf("join")).toBe("skipped");
    expect(log.reasonOf("branch")).toBe("completed");
  });

  test("G3 CORE-7 a join that does not read the branch that was not taken runs", async () => {
    const joining = graph("joining", {
      inputs: [],
      outputs: [sum],
      nodes: [
        branch,
        node("join", { requires: [taken, left], provides: [sum] }, (values) => as(() => ({ sum: values.taken }))),
      ],
    });
    expect((await run(joining, {})).values.sum).toBe(1);
  });

  test("CORE-7 the skip signal names the key and can be caught in the body", async () => {
    const signals: unknown[] = [];
    const joining = graph("joining", {
      inputs: [],
      outputs: [sum],
      nodes: [
        branch,
        node("join", { requires: [taken, left], provides: [sum] }, (values, context) =>
          as(() => {
            signals.push(
              thrownBy(() => values.left),
              thrownBy(() => context.get(left)),
            );
            return { sum: values.taken + context.get(taken) };
          }),
        ),
      ],
    });
    expect((await run(joining, {})).values.sum).toBe(2);
    const found = signals.map((signal) => expectCode(signal, "PULSE_SKIPPED").details);
    expect(found).toEqual([
      { path: "join", key: "left" },
      { path: "join", key: "left" },
    ]);
  });

  test("CORE-7 an optional skipped key reads as absent, by name and by get", async () => {
    const joining = graph("joining", {
      inputs: [],
      outputs: [sum],
      nodes: [
        branch,
        node("join", { requires: [taken, optional(left)], provides: [sum] }, (values, context) =>
          as(() => ({ sum: values.taken + (values.left ?? 10) + (context.get(left) === undefined ? 100 : 0) })),
        ),
      ],
    });
    expect((await run(joining, {})).values.sum).toBe(111);
  });

  test("CORE-7 a skip signal that an error only holds as its cause is a failure", async () => {
    const joining = graph("joining", {
      inputs: [],
      outputs: [sum],
      nodes: [
        branch,
        node("join", { requires: [taken, left], provides: [sum] }, (values) =>
          as(() => {
            throw new Error("no left", { cause: thrownBy(() => values.left) });
          }),
        ),
      ],
    });
    const failed = await rejectionOf(run(joining, {}), "PULSE_EXECUTION_FAILED");
    expect((failed.cause as Error).message).toBe("no left");
  });

  test("CORE-8 a body that returns completes the node, even if it skipped each key by name", async () => {
    const log = eventLog();
    const skipping = graph("skipping", {
      inputs: [],
      outputs: [left, sum],
      nodes: [
        node("each", { provides: [left, sum] }, (_values, context) =>
          as(() => ({ left: context.skip(left), sum: context.skip(sum) })),
        ),
      ],
    });
    const outcome = await run(skipping, {}, { observers: [log.observer] });
    expect(outcome.outputs).toEqual({ left: { state: "skipped" }, sum: { state: "skipped" } });
    expect(log.reasonOf("each")).toBe("completed");
  });

  test("CORE-8 what a body gave neither a value nor a skip for becomes skipped", async () => {
    const log = eventLog();
    const forgetting = graph("forgetting", {
      inputs: [],
      outputs: [left, sum],
      nodes: [
        // TypeScript refuses a result without "sum"; a JavaScript user can still return one.
        node("some", { provides: [left, sum] }, () => as(() => ({ left: 1 }) as { left: number; sum: number })),
      ],
    });
    const outcome = await run(forgetting, {}, { observers: [log.observer] });
    expect(outcome.outputs).toEqual({ left: { state: "ready", value: 1 }, sum: { state: "skipped" } });
    expect(log.reasonOf("some")).toBe("completed");
  });

  test("CORE-8 a body that returns nothing at all completes and skips all its keys", async () => {
    const log = eventLog();
    const forgetting = graph("forgetting", {
      inputs: [],
      outputs: [left],
      nodes: [node("nothing", { provides: [left] }, () => as(() => undefined as never))],
    });
    expect((await run(forgetting, {}, { observers: [log.observer] })).outputs).toEqual({ left: { state: "skipped" } });
    expect(log.reasonOf("nothing")).toBe("completed");
  });

  test("CORE-8 a body that raises the no-value signal is skipped as a whole", async () => {
    const log = eventLog();
    const skipping = graph("skipping", {
      inputs: [],
      outputs: [left, sum],
      nodes: [node("whole", { provides: [left, sum] }, (_values, context) => as(() => context.skip()))],
    });
    const outcome = await run(skipping, {}, { observers: [log.observer] });
    expect(outcome.outputs).toEqual({ left: { state: "skipped" }, sum: { state: "skipped" } });
    expect(log.reasonOf("whole")).toBe("skipped");
  });

  test("CORE-8 a body that returns the no-value signal is skipped as a whole", async () => {
    const log = eventLog();
    const skipping = graph("skipping", {
      inputs: [],
      outputs: [left],
      nodes: [
        node("whole", { provides: [left] }, (_values, context) =>
          // The type of a result does not hold the signal: a body comes by it only by catching it.
          as(
            () =>
              expectCode(
                thrownBy(() => context.skip()),
                "PULSE_NO_VALUE",
              ) as never,
          ),
        ),
      ],
    });
    expect((await run(skipping, {}, { observers: [log.observer] })).outputs).toEqual({ left: { state: "skipped" } });
    expect(log.reasonOf("whole")).toBe("skipped");
  });

  test("CORE-8 the no-value signal may be caught: the body goes on", async () => {
    const going = graph("going", {
      inputs: [],
      outputs: [sum],
      nodes: [
        node("on", { provides: [sum] }, (_values, context) =>
          as(() => ({
            sum: isPulseError(
              thrownBy(() => context.skip()),
              "PULSE_NO_VALUE",
            )
              ? 1
              : 2,
          })),
        ),
      ],
    });
    expect((await run(going, {})).values.sum).toBe(1);
  });

  test("CORE-42 the no-value signal after a write is an error that names the keys written", async () => {
    const writing = graph("writing", {
      inputs: [],
      outputs: [left, sum],
      nodes: [
        node("both", { provides: [left, sum] }, (_values, context) =>
          as(() => {
            context.set(left, 1);
            return context.skip();
          }),
        ),
      ],
    });
    const failed = await rejectionOf(run(writing, {}), "PULSE_EXECUTION_FAILED");
    expect(failed.details.path).toBe("both");
    expect(expectCode(failed.cause, "PULSE_USAGE").message).toContain('"left"');
    expect(expectCode(failed.cause, "PULSE_USAGE").message).not.toContain('"sum"');
  });

  test("CORE-42 the skip signal after a write is an error that names the keys written", async () => {
    const writing = graph("writing", {
      inputs: [],
      outputs: [sum, other],
      nodes: [
        branch,
        node("join", { requires: [taken, left], provides: [sum, other] }, (values, context) =>
          as(() => ({ sum: context.set(sum, 1), other: values.left })),
        ),
      ],
    });
    const failed = await rejectionOf(run(writing, {}), "PULSE_EXECUTION_FAILED");
    expect(failed.details.path).toBe("join");
    expect(expectCode(failed.cause, "PULSE_USAGE").message).toContain('"sum"');
  });

  test("CORE-42 a signal that is caught inside the chain after a write changes nothing", async () => {
    const writing = graph("writing", {
      inputs: [],
      outputs: [left],
      nodes: [
        node("both", { provides: [left] }, (_values, context) =>
          as(() => {
            const settled = context.set(left, 1);
            thrownBy(() => context.skip());
            return { left: settled };
          }),
        ),
      ],
    });
    expect((await run(writing, {})).values.left).toBe(1);
  });
});
