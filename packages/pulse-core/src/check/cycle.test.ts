import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional, type AnyKey } from "../key.ts";
import { mount } from "../mount.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map(anyKey) as [AnyKey, AnyKey, AnyKey, AnyKey];

test("G1 CORE-26 a node that needs what it makes itself", () => {
  const problem = onlyProblem({ nodes: [part("egg", [a], [a])] });
  expect(problem).toMatchObject({ code: "PULSE_CYCLE", path: "order/egg", ends: ["order/egg"] });
  expect(problem.message).toContain('egg -> egg, over "a"');
});

test("G1 CORE-26 two nodes that wait for each other", () => {
  const problem = onlyProblem({ nodes: [part("hatch", [a], [b]), part("lay", [b], [a])] });
  expect(problem).toMatchObject({ code: "PULSE_CYCLE", path: "order/hatch", ends: ["order/hatch", "order/lay"] });
  expect(problem.message).toContain('hatch -> lay -> hatch, over "b", "a"');
});

test("G1 CORE-26 three nodes in a ring, declared in any order, over optional keys too", () => {
  const ring = [part("one", [c], [a]), part("two", [optional(a)], [b]), part("three", [b], [c])] as const;
  for (const order of [ring, [ring[2], ring[0], ring[1]], [ring[1], ring[0], ring[2]]]) {
    const problem = onlyProblem({ nodes: order });
    expect(problem.message).toMatch(
      /one -> two -> three -> one|two -> three -> one -> two|three -> one -> two -> three/,
    );
    expect(problem.path).toBe(`order/${order[0]?.id}`);
  }
});

test("G1 CORE-47 a ring through a mount", () => {
  const child = graph("child", { inputs: [a], outputs: [b], nodes: [part("inner", [a], [b])] });
  const problem = onlyProblem({ nodes: [mount("score", child), part("back", [b], [a])] });
  expect(problem.message).toContain('score -> back -> score, over "b", "a"');
});

test("CORE-47 each output of a mount depends on each input, whatever the child does with it", () => {
  // In the child c needs b, and d needs a: no ring if it were looked into.
  const child = graph("child", {
    inputs: [a, b],
    outputs: [c, d],
    nodes: [part("first", [a], [d]), part("second", [b], [c])],
  });
  const problem = onlyProblem({ inputs: [a], nodes: [mount("both", child), part("between", [d], [b])] });
  expect(problem.message).toContain('both -> between -> both, over "d", "b"');
});

test("CORE-47 an input that has a constant makes no ring", () => {
  const child = graph("child", { inputs: [a], outputs: [b], nodes: [part("inner", [a], [b])] });
  expect(refusedFor({ nodes: [mount("score", child, { fix: { a: 1 } }), part("back", [b], [a])] })).toEqual([]);
});

test("CORE-26 each ring is found, also one that hangs on another", () => {
  const [e, f] = ["e", "f"].map(anyKey) as [AnyKey, AnyKey];
  const problems = refusedFor({
    nodes: [
      part("one", [b], [a]),
      part("two", [a], [b]),
      part("three", [b, d], [c]),
      part("four", [c], [d]),
      part("five", [d, e], [e, f]),
    ],
  });
  expect(problems.map(({ code, ends }) => [code, ends])).toEqual([
    ["PULSE_CYCLE", ["order/one", "order/two"]],
    ["PULSE_CYCLE", ["order/three", "order/four"]],
    ["PULSE_CYCLE", ["order/five"]],
  ]);
});

test("CORE-26 rings that share a node are one problem, whose cut cuts them", () => {
  const nodes = [part("one", [b, c], [a]), part("two", [a], [b]), part("three", [b], [c]), part("four", [c, a], [d])];
  expect(refusedFor({ outputs: [d], nodes }).map(({ code, ends }) => [code, ends])).toEqual([
    ["PULSE_CYCLE", ["order/one", "order/two"]],
    ["PULSE_OUTPUT_UNREACHABLE", ["order/one", "d"]],
  ]);
});

test("CORE-26 100,000 rings through one node are found in one walk", () => {
  const keys = Array.from({ length: 100_000 }, (_value, index) => anyKey(`k${index}`));
  const [first] = keys as [AnyKey];
  const last = keys.at(-1) as AnyKey;
  const nodes = keys.map((key, index) =>
    part(`n${index}`, index === 0 ? [last] : [...new Set([first, keys[index - 1] as AnyKey])], [key]),
  );
  expect(onlyProblem({ nodes: nodes.toReversed() })).toMatchObject({ code: "PULSE_CYCLE" });
});

test("CORE-26 a diamond is no ring", () => {
  const diamond = [part("top", [], [a]), part("left", [a], [b]), part("right", [a], [c]), part("bottom", [b, c], [d])];
  expect(refusedFor({ outputs: [d], nodes: diamond })).toEqual([]);
  expect(refusedFor({ outputs: [d], nodes: diamond.toReversed() })).toEqual([]);
});

test("CORE-26 an output behind a ring or a missing key is never reached, and the cause is named", () => {
  const problems = refusedFor({
    outputs: [d],
    nodes: [part("hatch", [a], [b]), part("lay", [b], [a]), part("cook", [a], [c]), part("eat", [c], [d])],
  });
  expect(problems.map(({ code }) => code)).toEqual(["PULSE_CYCLE", "PULSE_OUTPUT_UNREACHABLE"]);
  expect(problems[1]).toMatchObject({ path: "order", ends: ["order/hatch", "d"] });
  const missing = refusedFor({ outputs: [d], nodes: [part("cook", [a], [c]), part("eat", [c], [d])] });
  expect(missing.map(({ code, ends }) => [code, ends])).toEqual([
    ["PULSE_KEY_UNPROVIDED", ["order/cook", "a"]],
    ["PULSE_OUTPUT_UNREACHABLE", ["order/cook", "d"]],
  ]);
});

test("CORE-26 CORE-35 a ring of 100,000 nodes is found without a stack overflow, and printed in part", () => {
  const keys = Array.from({ length: 100_000 }, (_value, index) => anyKey(`k${index}`));
  const nodes = keys.map((key, index) => part(`n${index}`, [keys.at(index - 1) as AnyKey], [key]));
  const problem = onlyProblem({ nodes });
  expect(problem.message).toContain("n0 -> n1 -> n2 -> ");
  expect(problem.message).toContain("… (99980 more) -> n0");
  expect(problem.message.length).toBeLessThan(1000);
});
