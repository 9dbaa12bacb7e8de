import { describe, expectTypeOf, test } from "vitest";
import { graph, key, mount, node, optional, type } from "./index.ts";
import type { AnyKey, Mount } from "./index.ts";

const user = key("user", type<{ readonly name: string }>());
const limit = key("limit", type<number>());
const tags = key("tags", type<string[]>());
const score = key("score", type<number>());
const customer = key("customer", type<{ readonly name: string; readonly age: number }>());
const title = key("title", type<string>());
const points = key("points", type<number | undefined>());

const scoring = graph("scoring", {
  inputs: [user, limit, optional(tags)],
  outputs: [score],
  nodes: [
    node("rate", { requires: [user, limit, optional(tags)], provides: [score] }, (values) => ({ score: values.limit })),
  ],
});

describe("CORE-25 what TypeScript refuses of a mount", () => {
  test("CORE-25 a key that does not fit the input", () => {
    // @ts-expect-error key "title" does not fit input: user
    mount("m", scoring, { in: { user: title } });
    // @ts-expect-error key "points" does not fit input: limit
    mount("m", scoring, { in: { limit: points } });
  });

  test("CORE-25 a constant that does not fit the input", () => {
    // @ts-expect-error a text is no limit
    mount("m", scoring, { fix: { limit: "10" } });
    // @ts-expect-error a list of numbers is no list of tags
    mount("m", scoring, { fix: { tags: [1] } });
  });

  test("CORE-25 an output that does not fit its key", () => {
    // @ts-expect-error output "score" does not fit key: title
    mount("m", scoring, { out: { score: title } });
  });

  test("CORE-19 names that the child does not have", () => {
    // @ts-expect-error no such input: users
    mount("m", scoring, { in: { users: user } });
    // @ts-expect-error no such input: limits
    mount("m", scoring, { fix: { limits: 10 } });
    // @ts-expect-error no such output: scores
    mount("m", scoring, { out: { scores: points } });
  });

  test("CORE-19 two sources for one input", () => {
    // @ts-expect-error two sources for input: limit
    mount("m", scoring, { in: { limit: score }, fix: { limit: 1 } });
  });

  test("CORE-25 an input without a source, in the parent's list", () => {
    graph("shop", {
      inputs: [user],
      nodes: [
        // @ts-expect-error no provider for key: limit
        mount("m", scoring),
      ],
    });
  });

  test("CORE-25 two mounts of one graph without an out", () => {
    graph("shop", {
      inputs: [user, limit],
      nodes: [
        // @ts-expect-error two providers for key: score
        mount("one", scoring),
        // @ts-expect-error two providers for key: score
        mount("two", scoring),
      ],
    });
  });
});

describe("CORE-19 what fits", () => {
  test("CORE-19 a mount's type names the parent's keys that it reads and provides", () => {
    expectTypeOf(mount("m", scoring)).toEqualTypeOf<Mount<"user" | "limit", "score">>();
    expectTypeOf(mount("m", scoring, { fix: { limit: 1 } })).toEqualTypeOf<Mount<"user", "score">>();
    expectTypeOf(mount("m", scoring, { in: { user: customer, limit: score }, out: { score: points } })).toEqualTypeOf<
      Mount<"customer" | "score", "points">
    >();
    expectTypeOf(mount("m", scoring, { in: { tags }, out: {} })).toEqualTypeOf<
      Mount<"user" | "limit" | "tags", never>
    >();
  });

  test("CORE-19 a wider type may flow in, a narrower one out", () => {
    graph("shop", {
      inputs: [customer],
      outputs: [points],
      nodes: [
        mount("m", scoring, { in: { user: customer }, fix: { limit: 10, tags: ["new"] }, out: { score: points } }),
      ],
    });
  });

  test("CORE-19 an optional input that is not named needs nothing in the parent", () => {
    graph("shop", { inputs: [user, limit], outputs: [score], nodes: [mount("m", scoring)] });
  });

  test("CORE-26 keys out of loops are left to the run-time check", () => {
    const loose = [user].map((each): AnyKey => each)[0] as AnyKey;
    mount("m", scoring, { in: { user: loose }, out: { score: loose } });
  });
});
