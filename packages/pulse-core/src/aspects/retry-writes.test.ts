import { describe, expect, test } from "vitest";
import { aspect, graph, node, retry, run, timeout } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const one = numberKey("one");
const two = numberKey("two");
const again = new Error("again");

describe.each(bothWays)("$how", ({ as }) => {
  test("CORE-17 only the successful try's writes count", async () => {
    const trying = graph("trying", {
      outputs: [one, two],
      nodes: [
        node("n", { provides: [one, two], aspects: [retry({ limit: 2 })] }, (_values, context) =>
          as(() => {
            if (context.attempt === 1) {
              context.set(one, 1);
              throw again;
            }
            return { one: context.skip(one), two: 2 };
          }),
        ),
      ],
    });
    expect((await run(trying, {})).outputs).toEqual({ one: { state: "skipped" }, two: { state: "ready", value: 2 } });
  });

  test("CORE-17 CORE-9 a try may write what an earlier try wrote, and does not read it", async () => {
    const reads: unknown[] = [];
    const trying = graph("trying", {
      outputs: [one],
      nodes: [
        node("n", { provides: [one], aspects: [retry({ limit: 2 })] }, (_values, context) =>
          as(() => {
            if (context.attempt === 2) {
              try {
                reads.push(context.get(one));
              } catch (error) {
                reads.push(expectCode(error, "PULSE_USAGE").details.key);
              }
            }
            const settled = context.set(one, context.attempt);
            if (context.attempt === 1) throw again;
            return { one: settled };
          }),
        ),
      ],
    });
    expect((await run(trying, {})).values.one).toBe(2);
    expect(reads).toEqual(["one"]);
  });

  test("CORE-17 a skip by name in a failed try does not count", async () => {
    const trying = graph("trying", {
      outputs: [one],
      nodes: [
        node("n", { provides: [one], aspects: [retry({ limit: 2 })] }, (_values, context) =>
          as(() => {
            if (context.attempt === 1) {
              context.skip(one);
              throw again;
            }
            return { one: 5 };
          }),
        ),
      ],
    });
    expect((await run(trying, {})).values.one).toBe(5);
  });

  test("CORE-17 in nested retries a failed outer try takes the inner success with it", async () => {
    let runs = 0;
    let failed = false;
    const failingOnce = aspect("failing once", async (_context, next) => {
      await next();
      if (failed) return;
      failed = true;
      throw again;
    });
    const trying = graph("trying", {
      outputs: [one, two],
      nodes: [
        node(
          "n",
          { provides: [one, two], aspects: [retry({ limit: 2 }), failingOnce, retry({ limit: 2 })] },
          (_values, context) => as(() => (runs++, { one: context.set(one, runs), two: runs })),
        ),
      ],
    });
    expect((await run(trying, {})).values).toMatchObject({ one: 2, two: 2 });
  });

  test("CORE-17 CORE-42 a try that skips after an earlier, failed try had written is a plain skip", async () => {
    const log = eventLog();
    const trying = graph("trying", {
      outputs: [one],
      nodes: [
        node("n", { provides: [one], aspects: [retry({ limit: 2 })] }, (_values, context) =>
          as(() => {
            if (context.attempt === 2) return context.skip();
            context.set(one, 1);
            throw again;
          }),
        ),
      ],
    });
    expect((await run(trying, {}, { observers: [log.observer] })).outputs).toEqual({ one: { state: "skipped" } });
    expect(log.reasonOf("n")).toBe("skipped");
  });

  test("CORE-42 CORE-17 a try that skips after it had written is an error, as it is without a retry", async () => {
    const trying = graph("trying", {
      outputs: [one],
      nodes: [
        node("n", { provides: [one], aspects: [retry({ limit: 2 })] }, (_values, context) =>
          as(() => {
            context.set(one, 1);
            return context.skip();
          }),
        ),
      ],
    });
    const failure = await rejectionOf(run(trying, {}), "PULSE_EXECUTION_FAILED");
    expect(expectCode(failure.cause, "PULSE_USAGE").message).toContain('"one"');
  });
});

test("CORE-17 CORE-15 writes of a try that timed out are refused and never seen", async () => {
  const host = fakeHost();
  const gate = deferred();
  const late: unknown[] = [];
  const trying = graph("trying", {
    outputs: [one],
    nodes: [
      node("n", { provides: [one], aspects: [retry({ limit: 2 }), timeout(10)] }, async (_values, context) => {
        if (context.attempt === 2) return { one: 2 };
        await gate.promise;
        try {
          return { one: context.set(one, 1) };
        } catch (error) {
          late.push(error);
          throw error;
        }
      }),
    ],
  });
  const running = run(trying, {}, { host });
  await host.advance(10);
  gate.resolve();
  await turn();
  expect((await running).values.one).toBe(2);
  expectCode(late[0], "PULSE_USAGE");
});
