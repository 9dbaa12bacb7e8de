import { expect, test } from "vitest";
import { graph } from "../graph.ts";
import { optional } from "../key.ts";
import { mount } from "../mount.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const quote = anyKey("quote");
const quotes = anyKey("quotes");
const user = anyKey("user");

test("CORE-26 a required key that nobody provides is refused, with node, key and the near miss", () => {
  const problem = onlyProblem({ nodes: [part("fetch", [], [quotes]), part("price", [quote], [])] });
  expect(problem).toEqual({
    code: "PULSE_KEY_UNPROVIDED",
    path: "order/price",
    ends: ["order/price", "quote"],
    suggestion: "quotes",
    message:
      'node "price" requires key "quote", but no node, mount or input of graph "order" provides it; did you mean "quotes"?',
  });
});

test("CORE-26 without a near miss there is no suggestion", () => {
  const problem = onlyProblem({ inputs: [user], nodes: [part("price", [quote], [])] });
  expect(problem).not.toHaveProperty("suggestion");
  expect(problem.message).not.toContain("did you mean");
});

test("CORE-26 a key that is required as optional needs a provider as well", () => {
  expect(onlyProblem({ nodes: [part("price", [optional(quote)], [])] }).code).toBe("PULSE_KEY_UNPROVIDED");
});

test("CORE-26 each missing key of each node is a problem of its own", () => {
  const problems = refusedFor({ nodes: [part("one", [quote, user], []), part("two", [user], [])] });
  expect(problems.map(({ ends }) => ends)).toEqual([
    ["order/one", "quote"],
    ["order/one", "user"],
    ["order/two", "user"],
  ]);
});

test("CORE-26 an output that nobody provides is refused at the graph", () => {
  expect(onlyProblem({ outputs: [quote], nodes: [part("fetch", [], [quotes])] })).toMatchObject({
    code: "PULSE_OUTPUT_UNPROVIDED",
    path: "order",
    ends: ["order", "quote"],
    suggestion: "quotes",
  });
});

test("CORE-21 an output may be an input of the graph", () => {
  expect(refusedFor({ inputs: [quote, optional(user)], outputs: [quote, user], nodes: [] })).toEqual([]);
});

test("CORE-19 an input of a mount without any source is refused, an optional one is not", () => {
  const child = graph("child", { inputs: [quote, optional(user)], nodes: [] });
  const problem = onlyProblem({ nodes: [mount("score", child)] });
  expect(problem).toMatchObject({
    code: "PULSE_MOUNT_INPUT_MISSING",
    path: "order/score",
    ends: ["order/score", "quote"],
  });
  expect(refusedFor({ inputs: [quote], nodes: [mount("score", child)] })).toEqual([]);
  expect(refusedFor({ nodes: [mount("score", child, { fix: { quote: undefined } })] })).toEqual([]);
});

test("CORE-19 a key that in names needs a provider in the parent", () => {
  const child = graph("child", { inputs: [quote, optional(user)], nodes: [] });
  for (const wired of [
    mount("score", child, { in: { quote: quotes } }),
    mount("score", child, { fix: { quote: 1 }, in: { user: quotes } }),
  ])
    expect(onlyProblem({ nodes: [wired] })).toMatchObject({
      code: "PULSE_KEY_UNPROVIDED",
      ends: ["order/score", "quotes"],
    });
});
