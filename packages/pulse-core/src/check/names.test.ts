import { describe, expect, test } from "vitest";
import { key } from "../key.ts";
import { mount } from "../mount.ts";
import { graph } from "../graph.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const a = anyKey("a");
const child = graph("child", { nodes: [] });

describe("CORE-4 the id of a node or mount", () => {
  test.each([
    ["empty", ""],
    ["with the path separator", "fetch/price"],
    ["that is the path separator", "/"],
    ["that is no text", 7],
    ["that is missing", undefined],
    ["that is a symbol", Symbol("id")],
  ])("CORE-4 %s is refused", (_what, id) => {
    for (const bad of [part(id as string, [], []), mount(id as string, child)]) {
      const problem = onlyProblem({ nodes: [bad] });
      expect(problem.code).toBe("PULSE_NAME_INVALID");
      expect(problem.message).toContain(`the id of a ${bad.kind} must be a text`);
      expect(problem.path).toBe(`order/${typeof id === "string" ? id : `(${typeof id})`}`);
    }
  });

  test.each(["a.b", "constructor", "__proto__", "日本", "a b", "-", "toString"])("CORE-4 %s is allowed", (id) => {
    expect(refusedFor({ nodes: [part(id, [], [])] })).toEqual([]);
  });
});

test("CORE-4 two nodes of one id are refused, each further one once", () => {
  const problems = refusedFor({ nodes: [part("price", [], []), part("price", [], [a]), mount("price", child)] });
  expect(problems.map(({ code, path }) => [code, path])).toEqual([
    ["PULSE_NODE_DUPLICATE", "order/price"],
    ["PULSE_NODE_DUPLICATE", "order/price"],
  ]);
  expect(problems[0]?.message).toContain('graph "order" has two nodes of the id "price"');
});

test("CORE-4 one node object that stands twice is refused as a double id", () => {
  const twice = part("price", [], []);
  expect(onlyProblem({ nodes: [twice, twice] }).code).toBe("PULSE_NODE_DUPLICATE");
});

test("CORE-26 a graph needs a name without the path separator", () => {
  for (const name of ["", "a/b", null, 1]) {
    expect(onlyProblem({ nodes: [] }, name)).toMatchObject({ code: "PULSE_NAME_INVALID" });
  }
});

test("CORE-1 a key needs a name", () => {
  const nameless = anyKey("");
  expect(onlyProblem({ nodes: [part("price", [], [nameless])] })).toMatchObject({
    code: "PULSE_NAME_INVALID",
    path: "order/price",
  });
});

test("V6 CORE-1 the name of a key may be any other text", () => {
  const keys = ["user_id", "a.b", "a/b", "__proto__", "constructor", "toString"].map(anyKey);
  expect(refusedFor({ inputs: keys, outputs: keys, nodes: [part("read", keys, [])] })).toEqual([]);
});

test("CORE-2 a key is made with a Standard Schema or a type token", () => {
  for (const type of [undefined, null, "string", {}, String]) {
    const problem = onlyProblem({ inputs: [key("url", type as never)], nodes: [] });
    expect(problem).toMatchObject({ code: "PULSE_DEFINITION_INVALID", path: "order" });
    expect(problem.message).toContain('the type of key "url" must be a Standard Schema or type()');
  }
});
