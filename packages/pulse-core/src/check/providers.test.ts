import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const a = anyKey("a");
const b = anyKey("b");
const child = graph("child", { outputs: [a], nodes: [part("write", [], [a])] });

test("CORE-26 a key of two nodes is refused with both of them", () => {
  const problem = onlyProblem({ nodes: [part("one", [], [a]), part("two", [], [b, a])] });
  expect(problem).toMatchObject({
    code: "PULSE_KEY_DUPLICATE_PROVIDER",
    path: "order/two",
    ends: ["order/one", "order/two"],
  });
  expect(problem.message).toContain('key "a" is provided by node "one" and by node "two"');
});

test("CORE-26 a key of an input and a node is refused with the graph and the node", () => {
  for (const input of [a, optional(a)])
    expect(onlyProblem({ inputs: [input], nodes: [part("one", [], [a])] })).toMatchObject({
      code: "PULSE_KEY_DUPLICATE_PROVIDER",
      ends: ["order", "order/one"],
    });
});

test("CORE-19 CORE-23 two mounts of one graph provide the same keys until one is wired to another", () => {
  expect(onlyProblem({ nodes: [mount("one", child), mount("two", child)] })).toMatchObject({
    code: "PULSE_KEY_DUPLICATE_PROVIDER",
    ends: ["order/one", "order/two"],
  });
  expect(refusedFor({ outputs: [a, b], nodes: [mount("one", child), mount("two", child, { out: { a: b } })] })).toEqual(
    [],
  );
});

test("CORE-19 a mount with an out that is empty provides nothing", () => {
  expect(refusedFor({ nodes: [mount("one", child), mount("two", child, { out: {} })] })).toEqual([]);
});
