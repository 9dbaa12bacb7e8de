import { expect, test } from "vitest";
import { graph, mount, node, optional, run, type AnyKey, type Mount } from "../index.ts";
import { turn } from "../testing/deferred.ts";
import { numberKey } from "../testing/keys.ts";

const size = 5_000;
const passed = numberKey("passed");
const start = numberKey("start");
const end = numberKey("end");
const through = graph("through", { inputs: [passed], outputs: [passed], nodes: [] });

/** Mounts of a graph that only passes its input through, one behind the other. */
function mounts(): Mount[] {
  const keys: AnyKey[] = [start, ...Array.from({ length: size - 1 }, (_value, index) => numberKey(`k${index}`)), end];
  return keys
    .slice(1)
    .map((to, index) =>
      mount(`m${index}`, through, { in: { passed: keys[index] as typeof start }, out: { passed: to as typeof end } }),
    );
}

test("CORE-35 CORE-21 a value runs through 5,000 pass-through mounts without a stack overflow", async () => {
  const long = graph("long", {
    outputs: [end],
    nodes: [node("start", { provides: [start] }, async () => (await turn(), { start: 1 })), ...mounts()],
  });
  expect((await run(long, {})).values.end).toBe(1);
});

test("CORE-35 CORE-21 a skip runs through 5,000 pass-through mounts without a stack overflow", async () => {
  const long = graph("long", {
    outputs: [end],
    nodes: [
      node("start", { provides: [start] }, async (_values, context) => {
        await turn();
        return context.skip();
      }),
      ...mounts(),
    ],
  });
  expect((await run(long, {})).outputs).toEqual({ end: { state: "skipped" } });
});

test("CORE-35 200 mounts deep: graphs inside graphs run to their end", async () => {
  const leaf = graph("leaf", {
    inputs: [optional(start)],
    outputs: [end],
    nodes: [node("leaf", { provides: [end] }, async () => ({ end: 7 }))],
  });
  let deep = leaf;
  for (let depth = 0; depth < 200; depth++)
    deep = graph(`g${depth}`, { inputs: [optional(start)], outputs: [end], nodes: [mount("m", deep)] });
  expect((await run(deep, {})).values.end).toBe(7);
});
