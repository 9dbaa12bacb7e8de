import { describe, expect, test } from "vitest";
import { graph, mount, node, retry, run, type PulseEvent } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";
import { rejection } from "../testing/rejection.ts";

const given = numberKey("given");
const made = numberKey("made");
const after = numberKey("after");

/** What the contract says of the order in any complete run. */
function expectOrder(events: readonly PulseEvent[]): void {
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_event, index) => index + 1));
  expect(events[0]?.kind).toBe("execution-started");
  expect(events.at(-1)?.kind).toBe("execution-finished");
  const life = ["node-waiting", "node-running", "node-finished"];
  const seen = new Map<string, number>();
  for (const { kind, path, executionId } of events) {
    const stage = life.indexOf(kind);
    if (stage < 0) continue;
    const name = `${executionId} ${path}`;
    expect(stage, `${kind} of ${path} in its order`).toBeGreaterThan(seen.get(name) ?? -1);
    seen.set(name, stage);
  }
  expect([...seen.values()].every((stage) => stage === 2)).toBe(true);
}

describe.each(bothWays)("$how", ({ as }) => {
  const inner = graph("inner", {
    inputs: [given],
    outputs: [made],
    nodes: [node("make", { requires: [given], provides: [made] }, (values) => as(() => ({ made: values.given + 1 })))],
  });
  const outer = graph("outer", {
    inputs: [given],
    outputs: [after],
    nodes: [
      mount("child", inner),
      node("use", { requires: [made], provides: [after] }, (values) => as(() => ({ after: values.made + 1 }))),
    ],
  });

  test("CORE-32 events come in order, with execution, path, sequence and time", async () => {
    const log = eventLog();
    const host = fakeHost({ now: 5_000 });
    await run(outer, { given: 1 }, { observers: [log.observer], name: "nightly", host });
    expectOrder(log.events);
    const [started] = log.events;
    expect(started).toMatchObject({
      kind: "execution-started",
      name: "nightly",
      graph: "outer",
      path: "",
      time: 5_000,
    });
    const created = log.events.find((event) => event.kind === "child-created");
    expect(created).toMatchObject({ path: "child", graph: "inner", executionId: started?.executionId });
    const childId = created?.kind === "child-created" ? created.childId : "";
    expect(childId).not.toBe(started?.executionId);
    const ofChild = log.events.filter(({ executionId }) => executionId === childId);
    expect(ofChild[0]).toMatchObject({ kind: "execution-started", path: "child", graph: "inner" });
    expect(ofChild.at(-1)).toMatchObject({ kind: "execution-finished", path: "child", reason: "completed" });
    expect(ofChild.filter(({ path }) => path === "child/make").map(({ kind }) => kind)).toEqual([
      "node-waiting",
      "node-running",
      "node-finished",
    ]);
    expect(log.lines().indexOf("child-created child")).toBeLessThan(log.lines().indexOf("execution-started child"));
    expect(log.events.at(-1)).toMatchObject({ reason: "completed", path: "", executionId: started?.executionId });
  });

  test("CORE-32 a failed try of a retry is an event, with its number and error", async () => {
    const log = eventLog();
    const errors = [new Error("one"), new Error("two"), new Error("three")];
    const failing = graph("failing", {
      nodes: [
        node("tries", { aspects: [retry({ limit: 3 })] }, (_values, { attempt }) =>
          as(() => {
            throw errors[attempt - 1];
          }),
        ),
      ],
    });
    await rejection(run(failing, {}, { observers: [log.observer] }));
    const failed = log.events.filter((event) => event.kind === "attempt-failed");
    expect(failed).toMatchObject([
      { attempt: 1, path: "tries", error: errors[0] },
      { attempt: 2, path: "tries", error: errors[1] },
      { attempt: 3, path: "tries", error: errors[2] },
    ]);
    expect(log.events.at(-2)).toMatchObject({ kind: "node-finished", reason: "failed", error: errors[2] });
    expect(log.events.at(-1)).toMatchObject({ kind: "execution-finished", reason: "failed" });
    expectOrder(log.events);
  });

  test("CORE-32 CORE-12 each node finishes exactly once, with its reason, also in a run that fails", async () => {
    const log = eventLog();
    const mixed = graph("mixed", {
      nodes: [
        node("completes", { provides: [made] }, () => as(() => ({ made: 1 }))),
        node("skips", { provides: [given] }, (_values, context) => as(() => context.skip())),
        node("is skipped", { requires: [given] }, () => as(() => {})),
        node("fails", { requires: [made], provides: [after] }, () =>
          as((): { after: number } => {
            throw new Error("no");
          }),
        ),
        node("waits", { requires: [after] }, () => as(() => {})),
      ],
    });
    await rejection(run(mixed, {}, { observers: [log.observer] }));
    expectOrder(log.events);
    expect(log.reasonOf("completes")).toBe("completed");
    expect(log.reasonOf("fails")).toBe("failed");
    expect(log.reasonOf("waits")).toBe("canceled");
  });
});

test("CORE-32 a node that waits is told before one runs", async () => {
  const log = eventLog();
  const chain = graph("chain", {
    nodes: [node("second", { requires: [made] }, () => {}), node("first", { provides: [made] }, () => ({ made: 1 }))],
  });
  await run(chain, {}, { observers: [log.observer] });
  expect(log.lines("second")).toEqual(["node-waiting second", "node-running second", "node-finished second"]);
});

test("CORE-32 times come from the host's clock, in milliseconds since the epoch", async () => {
  const host = fakeHost({ now: 100 });
  const log = eventLog();
  const waiting = graph("waiting", {
    nodes: [
      node("tries", { aspects: [retry({ limit: 2, delay: 50, jitter: false })] }, (_values, { attempt }) => {
        if (attempt === 1) throw new Error("again");
      }),
    ],
  });
  const running = run(waiting, {}, { host, observers: [log.observer] });
  await host.advance(50);
  await running;
  expect([log.events[0]?.time, log.events.at(-1)?.time]).toEqual([100, 150]);
});
