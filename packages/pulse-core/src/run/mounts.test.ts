import { describe, expect, test } from "vitest";
import { graph, mount, node, optional, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, hasSettled, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { numberKey } from "../testing/keys.ts";

const left = numberKey("left");
const right = numberKey("right");
const first = numberKey("first");
const second = numberKey("second");
const made = numberKey("made");

describe.each(bothWays)("$how", ({ as }) => {
  const inner = graph("inner", {
    inputs: [left, right],
    outputs: [first, second],
    nodes: [
      node("one", { requires: [left], provides: [first] }, (values) => as(() => ({ first: values.left * 10 }))),
      node("two", { requires: [first, right], provides: [second] }, (values) =>
        as(() => ({ second: values.first + values.right })),
      ),
    ],
  });

  test("CORE-20 a child node that needs only the first input runs before the second exists", async () => {
    const gate = deferred();
    const log = eventLog();
    const outer = graph("outer", {
      inputs: [left],
      outputs: [second],
      nodes: [
        node("slow", { provides: [right] }, async () => (await gate.promise, { right: 2 })),
        mount("child", inner),
      ],
    });
    const running = run(outer, { left: 1 }, { observers: [log.observer] });
    await turn();
    expect(log.reasonOf("child/one")).toBe("completed");
    expect(log.lines("child")).toContain("node-running child");
    expect(log.lines("child/two")).toEqual(["node-waiting child/two"]);
    gate.resolve();
    expect((await running).values.second).toBe(12);
  });

  test("CORE-21 a child output passes outward as it is written", async () => {
    const gate = deferred();
    const log = eventLog();
    const outer = graph("outer", {
      inputs: [left],
      outputs: [second, made],
      nodes: [
        node("slow", { provides: [right] }, async () => (await gate.promise, { right: 2 })),
        mount("child", inner),
        node("use", { requires: [first], provides: [made] }, (values) => as(() => ({ made: values.first + 1 }))),
      ],
    });
    const running = run(outer, { left: 1 }, { observers: [log.observer] });
    await turn();
    expect(log.reasonOf("use")).toBe("completed");
    expect(log.reasonOf("child")).toBeUndefined();
    gate.resolve();
    expect((await running).values).toMatchObject({ second: 12, made: 11 });
  });

  test("CORE-23 paths are static, and one graph object may be mounted many times", async () => {
    const paths: string[] = [];
    const leaf = graph("leaf", {
      inputs: [left],
      outputs: [made],
      nodes: [
        node("make", { requires: [left], provides: [made] }, (values, { path }) =>
          as(() => (paths.push(path), { made: values.left + 1 })),
        ),
      ],
    });
    const middle = graph("middle", {
      inputs: [left],
      outputs: [first, second],
      nodes: [
        mount("a", leaf, { out: { made: first } }),
        mount("b", leaf, { in: { left: first }, out: { made: second } }),
      ],
    });
    const outer = graph("outer", {
      inputs: [left],
      outputs: [second, made],
      nodes: [mount("m", middle), mount("leaf", leaf, { in: { left: second } })],
    });
    const outcome = await run(outer, { left: 1 });
    expect(outcome.values).toMatchObject({ second: 3, made: 4 });
    expect(paths).toEqual(["m/a/make", "m/b/make", "leaf/make"]);
  });

  test("CORE-19 CORE-20 a fixed input is there at once, a mounted one comes when it is written", async () => {
    const gate = deferred();
    const log = eventLog();
    const outer = graph("outer", {
      outputs: [second],
      nodes: [
        node("slow", { provides: [left] }, async () => (await gate.promise, { left: 1 })),
        mount("child", inner, { fix: { right: 5 } }),
      ],
    });
    const running = run(outer, {}, { observers: [log.observer] });
    await turn();
    expect(log.lines("child/one")).toEqual(["node-waiting child/one"]);
    gate.resolve();
    expect((await running).values.second).toBe(15);
  });

  test("CORE-20 a skipped input skips what needs it in the child, and so the outputs", async () => {
    const outer = graph("outer", {
      inputs: [left],
      outputs: [first, second],
      nodes: [
        node("none", { provides: [right] }, (_values, context) => as(() => context.skip())),
        mount("child", inner),
      ],
    });
    const { outputs } = await run(outer, { left: 1 });
    expect(outputs).toEqual({ first: { state: "ready", value: 10 }, second: { state: "skipped" } });
  });

  test("CORE-41 an optional input that a mount leaves out is skipped in the child", async () => {
    const lenient = graph("lenient", {
      inputs: [left, optional(right)],
      outputs: [made],
      nodes: [
        node("make", { requires: [left, optional(right)], provides: [made] }, (values) =>
          as(() => ({ made: values.left + (values.right ?? 100) })),
        ),
      ],
    });
    const outer = graph("outer", { inputs: [left], outputs: [made], nodes: [mount("child", lenient)] });
    expect((await run(outer, { left: 1 })).values.made).toBe(101);
  });
});

test("CORE-20 an input that the child never uses may stay pending: the mount ends without it", async () => {
  const gate = deferred();
  const log = eventLog();
  const lazy = graph("lazy", {
    inputs: [left],
    outputs: [made],
    nodes: [node("make", { provides: [made] }, () => ({ made: 1 }))],
  });
  const outer = graph("outer", {
    outputs: [made],
    nodes: [node("slow", { provides: [left] }, async () => (await gate.promise, { left: 1 })), mount("child", lazy)],
  });
  const running = run(outer, {}, { observers: [log.observer] });
  await turn();
  expect(log.reasonOf("child")).toBe("completed");
  gate.resolve();
  expect((await running).values.made).toBe(1);
});

const through = graph("through", {
  inputs: [left],
  outputs: [left, made],
  nodes: [node("make", { provides: [made] }, () => ({ made: 1 }))],
});

test("CORE-21 CORE-48 a mount waits for a pass-through output, and gives it on when the input comes", async () => {
  const gate = deferred();
  const log = eventLog();
  const outer = graph("outer", {
    outputs: [first, made],
    nodes: [
      node("slow", { provides: [left] }, async () => (await gate.promise, { left: 7 })),
      mount("child", through, { out: { left: first, made } }),
    ],
  });
  const running = run(outer, {}, { observers: [log.observer] });
  await turn();
  expect(log.reasonOf("child/make")).toBe("completed");
  expect(log.reasonOf("child")).toBeUndefined();
  gate.resolve();
  expect((await running).values).toMatchObject({ first: 7, made: 1 });
  expect(log.reasonOf("child")).toBe("completed");
});

test("CORE-21 a pass-through takes the skip of its input", async () => {
  const outer = graph("outer", {
    outputs: [first, made],
    nodes: [
      node("none", { provides: [left] }, (_values, context) => context.skip()),
      mount("child", through, { out: { left: first, made } }),
    ],
  });
  expect((await run(outer, {})).outputs).toEqual({ first: { state: "skipped" }, made: { state: "ready", value: 1 } });
});

test("CORE-48 CORE-21 at the root a pass-through output is what the host gave", async () => {
  expect((await run(through, { left: 3 })).outputs).toEqual({
    left: { state: "ready", value: 3 },
    made: { state: "ready", value: 1 },
  });
});

test("CORE-48 a mount whose pass-through never comes holds the run until its provider is decided", async () => {
  const gate = deferred();
  const outer = graph("outer", {
    outputs: [made],
    nodes: [
      node(
        "slow",
        { provides: [left] },
        async (_values, context) => (await gate.promise, { left: context.skip(left) }),
      ),
      mount("child", through, { out: { left: first, made } }),
    ],
  });
  const running = run(outer, {});
  expect(await hasSettled(running)).toBe(false);
  gate.resolve();
  expect((await running).values.made).toBe(1);
});
