import { describe, expect, test } from "vitest";
import { z } from "zod";
import { graph } from "../graph.ts";
import { key, optional } from "../key.ts";
import { mount } from "../mount.ts";
import { type } from "../type.ts";
import { anyKey } from "../testing/keys.ts";
import { part } from "../testing/parts.ts";
import { onlyProblem, refusedFor } from "../testing/refused.ts";

const user = anyKey("user");
const limit = anyKey("limit");
const score = anyKey("score");
const scoring = graph("scoring", {
  inputs: [user, optional(limit)],
  outputs: [score],
  nodes: [part("rate", [user, optional(limit)], [score])],
});
/** As JavaScript users write it. */
const loosely = (wires: object) => mount("score", scoring, wires as Record<never, never>);

test("CORE-19 in and fix may only name inputs of the child", () => {
  for (const wires of [{ in: { users: user } }, { fix: { users: 1 } }]) {
    const problem = onlyProblem({ inputs: [user], nodes: [loosely(wires)] });
    expect(problem).toMatchObject({
      code: "PULSE_MOUNT_INPUT_UNKNOWN",
      path: "order/score",
      ends: ["order/score", "users"],
      suggestion: "user",
    });
    expect(problem.message).toContain('names input "users", which graph "scoring" does not have');
  }
});

test("CORE-19 names of every object are no inputs", () => {
  expect(onlyProblem({ inputs: [user], nodes: [loosely({ fix: { toString: 1 } })] }).code).toBe(
    "PULSE_MOUNT_INPUT_UNKNOWN",
  );
});

test("CORE-19 one input has one source", () => {
  const problem = onlyProblem({ inputs: [user], nodes: [loosely({ in: { user }, fix: { user: "ada" } })] });
  expect(problem).toMatchObject({
    code: "PULSE_MOUNT_INPUT_TWICE",
    path: "order/score",
    ends: ["order/score", "user"],
  });
});

test("CORE-19 out may only name outputs of the child", () => {
  const problem = onlyProblem({ inputs: [user], nodes: [loosely({ out: { scores: anyKey("points") } })] });
  expect(problem).toMatchObject({
    code: "PULSE_MOUNT_OUTPUT_UNKNOWN",
    path: "order/score",
    ends: ["order/score", "scores"],
    suggestion: "score",
  });
});

describe("CORE-26 types that are known not to fit", () => {
  const text = key("text", z.string());
  const count = key("count", z.number());
  const whole = key("whole", z.int());
  const takesNumber = graph("takes-number", { inputs: [count], outputs: [count], nodes: [] });
  const wiredTo = (from: typeof text | typeof whole) =>
    mount("m", takesNumber, { in: { count: from }, out: {} } as never);

  test("CORE-26 a text that flows into a number is refused, in and out", () => {
    expect(onlyProblem({ inputs: [text], nodes: [wiredTo(text)] })).toMatchObject({
      code: "PULSE_MOUNT_TYPE",
      path: "order/m",
      ends: ["text", "count"],
    });
    const outward = mount("m", takesNumber, { out: { count: text } } as never);
    expect(onlyProblem({ inputs: [count], nodes: [outward] })).toMatchObject({
      code: "PULSE_MOUNT_TYPE",
      ends: ["count", "text"],
    });
  });

  test("CORE-26 an integer fits a number, and what cannot be known is allowed", () => {
    expect(refusedFor({ inputs: [whole], nodes: [wiredTo(whole)] })).toEqual([]);
    for (const unknown of [
      key("u", type<number>()),
      key("u", z.date()),
      key("u", z.any()),
      key("u", z.custom<number>()),
    ])
      expect(
        refusedFor({
          inputs: [unknown],
          nodes: [mount("m", takesNumber, { in: { count: unknown }, out: {} } as never)],
        }),
      ).toEqual([]);
  });
});

describe("CORE-19 an optional input that is not named", () => {
  test("CORE-19 is wired to the very same key of the parent", () => {
    const slow = part("slow", [score], [limit]);
    // If it is wired, the mount needs what depends on it: a ring shows it.
    expect(onlyProblem({ inputs: [user], nodes: [loosely({}), slow] }).code).toBe("PULSE_CYCLE");
  });

  test("CORE-19 is left out if the parent's key of its name is another object", () => {
    const slow = part("slow", [score], [anyKey("limit")]);
    expect(refusedFor({ inputs: [user], nodes: [loosely({}), slow] })).toEqual([]);
  });
});
