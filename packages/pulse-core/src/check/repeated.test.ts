import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const a = anyKey("a");
const b = anyKey("b");
const c = anyKey("c");

test("CORE-26 a key that stands twice in a list is refused once, with list and key", () => {
  const requires = onlyProblem({ inputs: [a], nodes: [part("read", [a, a, a], [])] });
  expect(requires).toMatchObject({ code: "PULSE_KEY_REPEATED", path: "order/read", ends: ["order/read", "a"] });
  expect(requires.message).toContain("stands twice in requires of node");
  expect(onlyProblem({ nodes: [part("write", [], [a, a])] }).message).toContain("provides");
  expect(onlyProblem({ inputs: [a, a], nodes: [] }).message).toContain("inputs");
  expect(onlyProblem({ inputs: [a], outputs: [a, a], nodes: [] }).message).toContain("outputs");
});

test("CORE-41 an input cannot be both given and optional", () => {
  expect(onlyProblem({ inputs: [a, optional(a)], nodes: [] })).toMatchObject({
    code: "PULSE_KEY_REPEATED",
    path: "order",
  });
});

test("CORE-19 one parent key may feed two inputs of a child, but two outputs cannot feed one key", () => {
  const child = graph("child", { inputs: [a, b], outputs: [a, b], nodes: [] });
  expect(refusedFor({ inputs: [c], nodes: [mount("pair", child, { in: { a: c, b: c }, out: {} })] })).toEqual([]);
  const problem = onlyProblem({ inputs: [a, b], nodes: [mount("pair", child, { out: { a: c, b: c } })] });
  expect(problem).toMatchObject({ code: "PULSE_KEY_REPEATED", path: "order/pair", ends: ["order/pair", "c"] });
});
