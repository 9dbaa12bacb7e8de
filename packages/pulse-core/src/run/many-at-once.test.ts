import { expect, test } from "vitest";
import { graph, mount, node, run } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { numberKey } from "../testing/keys.ts";

const given = numberKey("given");
const made = numberKey("made");
const after = numberKey("after");

const make = node("make", { requires: [given], provides: [made] }, (values) => ({ made: values.given + 1 }));
const inner = graph("inner", {
  inputs: [given],
  outputs: [made],
  nodes: [make],
});

test("CORE-24 a built graph is immutable", () => {
  const built = graph("built", { inputs: [given], outputs: [made], nodes: [...inner.nodes] });
  for (const part of [built, built.nodes, built.inputs, built.outputs, make]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("CORE-24 one graph runs many times at once, each run with its own values", async () => {
  const gate = deferred();
  const outer = graph("outer", {
    inputs: [given],
    outputs: [after],
    nodes: [
      mount("child", inner),
      node(
        "use",
        { requires: [made], provides: [after] },
        async (values) => (await gate.promise, { after: values.made * 2 }),
      ),
    ],
  });
  const runs = Array.from({ length: 200 }, (_value, index) => run(outer, { given: index }));
  await turn();
  gate.resolve();
  const outcomes = await Promise.all(runs);
  expect(outcomes.map(({ values }) => values.after)).toEqual(runs.map((_run, index) => (index + 1) * 2));
});

test("CORE-24 CORE-22 a failing run leaves the others of the same graph alone", async () => {
  const picky = graph("picky", {
    inputs: [given],
    outputs: [made],
    nodes: [
      node("make", { requires: [given], provides: [made] }, async (values) => {
        await turn();
        if (values.given % 2 === 1) throw new Error(`odd ${values.given}`);
        return { made: values.given };
      }),
    ],
  });
  const settled = await Promise.allSettled(Array.from({ length: 50 }, (_value, index) => run(picky, { given: index })));
  expect(settled.map(({ status }) => status)).toEqual(
    settled.map((_result, index) => (index % 2 === 1 ? "rejected" : "fulfilled")),
  );
});
