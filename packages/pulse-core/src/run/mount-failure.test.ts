import { describe, expect, test } from "vitest";
import { aspect, graph, mount, node, retry, run, timeout } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { aborted, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const made = numberKey("made");
const after = numberKey("after");
const failure = new Error("inner");

describe.each(bothWays)("$how", ({ as }) => {
  const failing = graph("failing", {
    outputs: [made],
    nodes: [
      node("fails", { provides: [made] }, () =>
        as((): { made: number } => {
          throw failure;
        }),
      ),
    ],
  });

  test("CORE-22 a child's failure is the mount's failure", async () => {
    const log = eventLog();
    const outer = graph("outer", { outputs: [made], nodes: [mount("child", failing)] });
    const failed = await rejectionOf(run(outer, {}, { observers: [log.observer] }), "PULSE_EXECUTION_FAILED");
    expect(failed.cause).toBe(failure);
    expect(failed.details.path).toBe("child/fails");
    expect([log.reasonOf("child/fails"), log.reasonOf("child")]).toEqual(["failed", "failed"]);
  });

  test("CORE-22 CORE-13 the mount's aspects see the failure and may answer for it", async () => {
    const caught: unknown[] = [];
    const answering = aspect("answering", async (context, next) => {
      try {
        await next();
      } catch (error) {
        caught.push(error);
        context.set(made, 42);
      }
    });
    const log = eventLog();
    const outer = graph("outer", {
      outputs: [after],
      nodes: [
        mount("child", failing, { aspects: [answering] }),
        node("use", { requires: [made], provides: [after] }, (values) => as(() => ({ after: values.made + 1 }))),
      ],
    });
    expect((await run(outer, {}, { observers: [log.observer] })).values.after).toBe(43);
    expect(caught).toHaveLength(1);
    expect(caught[0]).toBe(failure);
    expect([log.reasonOf("child/fails"), log.reasonOf("child")]).toEqual(["failed", "completed"]);
  });

  test("CORE-22 CORE-17 a retried mount gets a fresh child execution, and only the successful one's outputs count", async () => {
    const log = eventLog();
    const executions = new Set<string>();
    let tries = 0;
    const flaky = graph("flaky", {
      outputs: [made, after],
      nodes: [
        node("writes", { provides: [made] }, (_values, context) =>
          as(() => (executions.add(context.executionId), { made: ++tries })),
        ),
        node("fails", { requires: [made], provides: [after] }, (values) =>
          as(() => {
            if (values.made < 3) throw new Error("again");
            return { after: values.made };
          }),
        ),
      ],
    });
    const outer = graph("outer", {
      outputs: [made, after],
      nodes: [mount("child", flaky, { aspects: [retry({ limit: 3 })] })],
    });
    const outcome = await run(outer, {}, { observers: [log.observer] });
    expect(outcome.values).toMatchObject({ made: 3, after: 3 });
    expect(executions.size).toBe(3);
    const children = log.events.flatMap((event) => (event.kind === "child-created" ? [event.childId] : []));
    expect(new Set(children)).toEqual(executions);
    expect(log.lines("child").filter((line) => line.startsWith("node-"))).toEqual([
      "node-waiting child",
      "node-running child",
      "node-finished child",
    ]);
  });

  test("CORE-17 CORE-21 outputs of a retried mount are held back until its try has succeeded", async () => {
    const log = eventLog();
    let tries = 0;
    const flaky = graph("flaky", {
      outputs: [made],
      nodes: [
        node("writes", { provides: [made] }, () => as(() => ({ made: ++tries }))),
        node("fails", { requires: [made] }, async (values) => {
          await turn();
          if (values.made === 1) throw new Error("again");
        }),
      ],
    });
    const seen: number[] = [];
    const outer = graph("outer", {
      nodes: [
        mount("child", flaky, { aspects: [retry({ limit: 2 })] }),
        node("use", { requires: [made] }, (values) => as(() => void seen.push(values.made))),
      ],
    });
    await run(outer, {}, { observers: [log.observer] });
    expect(seen).toEqual([2]);
  });

  test("CORE-13 CORE-22 the aspects of a child's node are inside those of the mount: a retry in the child spares the mount", async () => {
    let tries = 0;
    const flaky = graph("flaky", {
      outputs: [made],
      nodes: [
        node("writes", { provides: [made], aspects: [retry({ limit: 2 })] }, (_values, { attempt }) =>
          as(() => {
            tries++;
            if (attempt === 1) throw new Error("again");
            return { made: tries };
          }),
        ),
      ],
    });
    const log = eventLog();
    const outer = graph("outer", {
      outputs: [made],
      nodes: [mount("child", flaky, { aspects: [retry({ limit: 9 })] })],
    });
    expect((await run(outer, {}, { observers: [log.observer] })).values.made).toBe(2);
    expect(log.events.filter(({ kind }) => kind === "child-created")).toHaveLength(1);
  });
});

test("CORE-22 CORE-15 a timeout around a mount aborts the whole child and a retry begins anew", async () => {
  const host = fakeHost();
  const reasons: unknown[] = [];
  let tries = 0;
  const slow = graph("slow", {
    outputs: [made],
    nodes: [
      node("slow", { provides: [made] }, async (_values, { signal }) => {
        if (++tries > 1) return { made: tries };
        await aborted(signal).catch((reason: unknown) => reasons.push(reason));
        throw signal.reason;
      }),
    ],
  });
  const outer = graph("outer", {
    outputs: [made],
    nodes: [mount("child", slow, { aspects: [retry({ limit: 2 }), timeout(100)] })],
  });
  const running = run(outer, {}, { host });
  await host.advance(100);
  expect((await running).values.made).toBe(2);
  expect(expectCode(reasons[0], "PULSE_TIMEOUT").details.path).toBe("child");
  expect(host.armed).toBe(0);
});
