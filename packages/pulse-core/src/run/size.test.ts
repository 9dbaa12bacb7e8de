import { describe, expect, test } from "vitest";
import { graph, node, run, type AnyKey, type Node } from "../index.ts";
import { bothWays, type Doing } from "../testing/both-ways.ts";
import { numberKey } from "../testing/keys.ts";

const size = 100_000;

/** A node of keys whose names are made in a loop; its values are numbers. */
const step = (id: string, requires: readonly AnyKey[], provides: AnyKey, as: Doing): Node =>
  node(id, { requires, provides: [provides] }, (values) =>
    as(() => ({ [provides.name]: Object.values(values as Record<string, number>).reduce((sum, value) => sum + value, 1) })),
  );

const end = numberKey("end");

describe.each(bothWays)("$how", ({ as }) => {
  test("G17 CORE-35 a chain of 100,000 nodes ends without a stack overflow", async () => {
    const keys: AnyKey[] = Array.from({ length: size - 1 }, (_value, index) => numberKey(`k${index}`));
    keys.push(end);
    const nodes = keys.map((provided, index) => step(`n${index}`, index === 0 ? [] : [keys[index - 1] as AnyKey], provided, as));
    const outcome = await run(graph("chain", { outputs: [end], nodes }), {});
    expect(outcome.values.end).toBe(size);
  });

  test("G17 CORE-35 a chain declared from its end to its start ends as well", async () => {
    const keys: AnyKey[] = Array.from({ length: size - 1 }, (_value, index) => numberKey(`k${index}`));
    keys.push(end);
    const nodes = keys.map((provided, index) => step(`n${index}`, index === 0 ? [] : [keys[index - 1] as AnyKey], provided, as));
    const outcome = await run(graph("chain", { outputs: [end], nodes: nodes.reverse() }), {});
    expect(outcome.values.end).toBe(size);
  });

  test("CORE-35 a fan of 100,000 nodes out of one key and into one node ends", async () => {
    const start = numberKey("start");
    const keys = Array.from({ length: size }, (_value, index): AnyKey => numberKey(`k${index}`));
    const nodes = [
      step("first", [], start, as),
      ...keys.map((provided, index) => step(`n${index}`, [start], provided, as)),
      step("last", keys, end, as),
    ];
    const outcome = await run(graph("fan", { outputs: [end], nodes }), {});
    expect(outcome.values.end).toBe(2 * size + 1);
  });

  test("G17 CORE-35 a skip runs down a chain of 100,000 nodes", async () => {
    const keys: AnyKey[] = Array.from({ length: size - 1 }, (_value, index) => numberKey(`k${index}`));
    keys.push(end);
    const nodes = keys.map((provided, index) =>
      index === 0
        ? node("n0", { provides: [provided] }, (_values, context) => as(() => context.skip()))
        : step(`n${index}`, [keys[index - 1] as AnyKey], provided, as),
    );
    const outcome = await run(graph("chain", { outputs: [end], nodes }), {});
    expect(outcome.outputs).toEqual({ end: { state: "skipped" } });
  });
});
