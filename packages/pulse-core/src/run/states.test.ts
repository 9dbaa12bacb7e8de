import { describe, expect, test } from "vitest";
import { graph, node, optional, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { anyKey } from "../testing/keys.ts";

const source = anyKey("source");
const seen = anyKey("seen");

const emptyish = [
  ["undefined", undefined],
  ["null", null],
  ["an empty string", ""],
  ["zero", 0],
  ["minus zero", -0],
  ["NaN", Number.NaN],
  ["false", false],
] as const;

describe.each(bothWays)("$how", ({ as }) => {
  test.each(emptyish)("CORE-3 %s is a value like any other", async (_name, value) => {
    const passing = graph("passing", {
      inputs: [],
      outputs: [source, seen],
      nodes: [
        node("write", { provides: [source] }, () => as(() => ({ source: value }))),
        node("read", { requires: [source], provides: [seen] }, ({ source: read }) => as(() => ({ seen: [read] }))),
      ],
    });
    const outcome = await run(passing, {});
    expect(outcome.outputs["source"]).toEqual({ state: "ready", value });
    expect(outcome.values.source).toBe(value);
    expect(outcome.values.seen).toEqual([value]);
  });

  test.each(emptyish)("CORE-3 %s written early is a value like any other", async (_name, value) => {
    const writing = graph("writing", {
      inputs: [],
      outputs: [source],
      nodes: [
        node("write", { provides: [source] }, (_values, context) => as(() => ({ source: context.set(source, value) }))),
      ],
    });
    expect((await run(writing, {})).outputs["source"]).toEqual({ state: "ready", value });
  });

  test("CORE-3 a skipped key has no value, though an optional reader sees undefined", async () => {
    const reading = graph("reading", {
      inputs: [],
      outputs: [source, seen],
      nodes: [
        node("write", { provides: [source] }, (_values, context) => as(() => ({ source: context.skip(source) }))),
        node("read", { requires: [optional(source)], provides: [seen] }, ({ source: read }) =>
          as(() => ({ seen: [read] })),
        ),
      ],
    });
    const outcome = await run(reading, {});
    expect(outcome.outputs["source"]).toEqual({ state: "skipped" });
    expect(outcome.outputs["seen"]).toEqual({ state: "ready", value: [undefined] });
  });
});

test("CORE-3 a value is handed on by identity", async () => {
  const value = Object.freeze({ deep: Object.freeze([1]) });
  const passing = graph("passing", {
    inputs: [source],
    outputs: [seen],
    nodes: [node("pass", { requires: [source], provides: [seen] }, ({ source: read }) => ({ seen: read }))],
  });
  expect((await run(passing, { source: value })).values.seen).toBe(value);
});
