import { describe, expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { node } from "../node.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const a = anyKey("a");
const b = anyKey("b");
const nothing = () => {};

/** What JavaScript users may put where something else is wanted. */
const garbage: readonly (readonly [string, unknown])[] = [
  ["a number", 7],
  ["a text", "price"],
  ["a function", nothing],
  ["an empty object", {}],
  ["an object without a prototype", Object.create(null)],
  ["a symbol", Symbol("x")],
  ["true", true],
];

describe.each(garbage)("%s", (_what, value) => {
  test.each(["inputs", "outputs", "nodes", "aspects"])(
    "CORE-26 in place of %s is a problem, not a TypeError",
    (list) => {
      const problem = onlyProblem({ nodes: [], [list]: value });
      expect(problem).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order" });
      expect(problem.message).toContain(`${list} of graph "order" must be a list, but is ${typeof value}`);
    },
  );

  test.each(["inputs", "outputs", "nodes", "aspects"])("CORE-26 as an entry of %s is named by its place", (list) => {
    const problem = onlyProblem({ nodes: [], [list]: [value] });
    expect(problem.code).toBe("PULSE_DEFINITION_INVALID");
    expect(problem.message).toContain(`entry 0 in ${list} of graph "order" must be`);
  });

  test.each(["requires", "provides", "aspects"])("CORE-26 in and as %s of a node", (list) => {
    for (const bad of [value, [value]]) {
      const problem = onlyProblem({ nodes: [node("price", { [list]: bad } as never, nothing)] });
      expect(problem).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order/price" });
      expect(problem.message).toContain(`${list} of node "price"`);
    }
  });

  test("CORE-26 in place of a key in a mount's in and out", () => {
    const takes = graph("takes", { inputs: [a], outputs: [a], nodes: [] });
    for (const wires of [{ in: { a: value }, fix: { a: 1 } }, { out: { a: value } }]) {
      const problems = refusedFor({ inputs: [a], nodes: [mount("m", takes, wires as never)] });
      expect(problems[0]).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order/m" });
      expect(problems[0]?.message).toMatch(/^"a" in (in|out) of mount "m" must be a key/);
    }
  });

  test("CORE-26 in place of a mounted graph", () => {
    const problem = onlyProblem({ nodes: [mount("m", value as never)] });
    expect(problem).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order/m" });
    expect(problem.message).toContain('what is mounted of mount "m" must be a graph');
  });
});

test.each([undefined, null, 7, "x", {}, Symbol("x")])("CORE-26 %s in place of a body is refused", (body) => {
  const problem = onlyProblem({ nodes: [node("price", {}, body as never)] });
  expect(problem).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order/price" });
  expect(problem.message).toContain('the body of node "price" must be a function');
});

test("CORE-26 undefined entries, as circular imports leave them, are refused", () => {
  const problems = refusedFor({
    inputs: [undefined],
    outputs: [undefined],
    nodes: [undefined, node("price", { requires: [undefined], provides: [undefined, null] } as never, nothing)],
  });
  expect(problems.map(({ code }) => code)).toEqual(Array(6).fill("PULSE_DEFINITION_INVALID"));
});

test("CORE-26 optional() around nothing is refused where it stands", () => {
  for (const nothingAtAll of [undefined, null, 7]) {
    const problem = onlyProblem({ nodes: [part("price", [optional(nothingAtAll as never)], [])] });
    expect(problem).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order/price" });
  }
});

test("CORE-26 a hole in a list is an entry as well", () => {
  const holed: unknown[] = [];
  holed.length = 2;
  expect(refusedFor({ nodes: holed })).toHaveLength(2);
});

test("CORE-26 a graph without any table, and without nodes, is refused", () => {
  expect(refusedFor(undefined as never)[0]).toMatchObject({ code: "PULSE_DEFINITION_INVALID" });
  expect(onlyProblem({}).message).toContain('nodes of graph "order" must be a list, but is undefined');
});

test("CORE-26 optional() cannot stand where a key is written, nor around itself", () => {
  expect(onlyProblem({ inputs: [a], outputs: [optional(a)], nodes: [] }).message).toContain(
    'must be a key, but is of kind "optional"',
  );
  expect(onlyProblem({ nodes: [node("write", { provides: [optional(a)] } as never, nothing)] }).path).toBe(
    "order/write",
  );
  expect(onlyProblem({ inputs: [optional(optional(a) as never)], nodes: [] }).code).toBe("PULSE_DEFINITION_INVALID");
});

test("CORE-26 the sound rest of a graph is looked at as well", () => {
  const problems = refusedFor({
    outputs: [b],
    nodes: [undefined, part("one", [a], [b]), part("one", [], [b])],
  });
  expect(problems.map(({ code }) => code)).toEqual([
    "PULSE_DEFINITION_INVALID",
    "PULSE_NODE_DUPLICATE",
    "PULSE_KEY_DUPLICATE_PROVIDER",
    "PULSE_KEY_UNPROVIDED",
    "PULSE_OUTPUT_UNREACHABLE",
  ]);
});
