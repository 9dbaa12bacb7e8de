import { describe, expect, test } from "vitest";
import { graph, node, run } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { numberKey, textKey } from "../testing/keys.ts";
import { expectCode, rejectionOf, thrownBy } from "../testing/rejection.ts";

const made = numberKey("made");
const missing = textKey("missing");

describe.each(bothWays)("$how", ({ as }) => {
  const sample = graph("sample", {
    outputs: [made, missing],
    nodes: [
      node("make", { provides: [made, missing] }, (_values, context) =>
        as(() => ({ made: 1, missing: context.skip(missing) })),
      ),
    ],
  });

  test("G2 CORE-31 the outcome holds each output as ready or skipped", async () => {
    const { outputs, abandoned } = await run(sample, {});
    expect(outputs).toEqual({ made: { state: "ready", value: 1 }, missing: { state: "skipped" } });
    expect(Object.keys(outputs)).toEqual(["made", "missing"]);
    expect(abandoned).toEqual([]);
  });

  test("CORE-31 asking for a skipped value as if ready is an error that names it, not undefined", async () => {
    const { values } = await run(sample, {});
    expect(values.made).toBe(1);
    const error = expectCode(
      thrownBy(() => values.missing),
      "PULSE_USAGE",
    );
    expect(error.message).toContain('"missing"');
    expect(error.details).toMatchObject({ key: "missing" });
  });

  test("CORE-31 there is no outcome when the execution failed, though outputs were written", async () => {
    const failing = graph("failing", {
      outputs: [made],
      nodes: [
        node("make", { provides: [made] }, () => as(() => ({ made: 1 }))),
        node("fails", { requires: [made] }, () =>
          as(() => {
            throw new Error("no");
          }),
        ),
      ],
    });
    const failed = await rejectionOf(run(failing, {}), "PULSE_EXECUTION_FAILED");
    expect(JSON.stringify(failed.details)).not.toContain("made");
  });
});

test("CORE-31 an outcome without outputs is empty", async () => {
  expect(await run(graph("none", { nodes: [node("does", {}, () => {})] }), {})).toMatchObject({
    outputs: {},
    abandoned: [],
  });
  expect((await run(graph("empty", { nodes: [] }), {})).outputs).toEqual({});
});

test("CORE-31 awaiting the values or printing them reads no skipped value", async () => {
  const skippingGraph = graph("skipping", {
    outputs: [missing],
    nodes: [node("skip", { provides: [missing] }, (_values, context) => context.skip())],
  });
  const outcome = await run(skippingGraph, {});
  expect(await Promise.resolve(outcome)).toBe(outcome);
  expect(JSON.parse(JSON.stringify(outcome.outputs))).toEqual({ missing: { state: "skipped" } });
});
