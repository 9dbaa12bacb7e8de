import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const a = anyKey("a");
const otherA = anyKey("a");
const b = anyKey("b");

test("CORE-1 two key objects of one name are refused, and both uses are named", () => {
  const problem = onlyProblem({ nodes: [part("write", [], [a]), part("read", [otherA], [])] });
  expect(problem).toMatchObject({
    code: "PULSE_KEY_CONFLICT",
    path: "order/read",
    ends: ["order/write", "order/read"],
  });
  expect(problem.message).toContain(
    'key "a" in requires of node "read" is another object than in provides of node "write"',
  );
});

test("CORE-1 a third use of a conflicting key adds no problem, a third object does", () => {
  const uses = [part("write", [], [a]), part("one", [otherA], []), part("two", [optional(otherA)], [])];
  expect(refusedFor({ nodes: uses })).toHaveLength(1);
  expect(refusedFor({ nodes: [...uses, part("three", [anyKey("a")], [])] })).toHaveLength(2);
});

test("CORE-1 a conflict is found in inputs, outputs and behind optional()", () => {
  expect(onlyProblem({ inputs: [a], outputs: [otherA], nodes: [] })).toMatchObject({
    code: "PULSE_KEY_CONFLICT",
    ends: ["order", "order"],
  });
  expect(onlyProblem({ inputs: [optional(a)], nodes: [part("read", [otherA], [])] }).ends).toEqual([
    "order",
    "order/read",
  ]);
});

test("CORE-1 a mount's output under its own key and a parent's key of that name conflict", () => {
  const child = graph("child", { outputs: [a], nodes: [part("write", [], [a])] });
  const problem = onlyProblem({ nodes: [mount("child", child), part("read", [otherA], [])] });
  expect(problem).toMatchObject({ code: "PULSE_KEY_CONFLICT", ends: ["order/child", "order/read"] });
});

test("CORE-19 a mount's input takes the parent's key of its name, though it is another object", () => {
  const child = graph("child", { inputs: [a], outputs: [b], nodes: [part("make", [a], [b])] });
  expect(refusedFor({ inputs: [otherA], outputs: [b], nodes: [mount("child", child)] })).toEqual([]);
});

test("CORE-23 graphs have keys of their own: a child's inner key may have a name of the parent's", () => {
  const child = graph("child", { outputs: [b], nodes: [part("write", [], [a]), part("make", [a], [b])] });
  expect(
    refusedFor({ nodes: [part("write", [], [otherA]), mount("child", child), part("read", [otherA, b], [])] }),
  ).toEqual([]);
});
