import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { graph, key, node, optional, skipped, type } from "./index.ts";
import type { InputsOf, Key, OutputsOf, StandardSchema } from "./index.ts";

interface User {
  readonly name: string;
}
declare const foreign: StandardSchema<string, Date>;

describe("CORE-2 the type of a key is inferred from what it is made with", () => {
  test("CORE-2 a schema gives the value's type, and the host's where it differs", () => {
    expectTypeOf(key("url", z.url())).toEqualTypeOf<Key<"url", string, string>>();
    expectTypeOf(key("count", z.string().transform(Number))).toEqualTypeOf<Key<"count", number, string>>();
    expectTypeOf(key("page", z.object({ n: z.number().default(1) }))).toEqualTypeOf<
      Key<"page", { n: number }, { n?: number | undefined }>
    >();
    expectTypeOf(key("when", foreign)).toEqualTypeOf<Key<"when", Date, string>>();
  });

  test("CORE-2 a type token gives its type", () => {
    expectTypeOf(key("user", type<User>())).toEqualTypeOf<Key<"user", User, User>>();
    expectTypeOf(key("maybe", type<string | undefined>())).toEqualTypeOf<
      Key<"maybe", string | undefined, string | undefined>
    >();
  });

  test("CORE-2 a key's type makes another key of the same types, of a schema and of a token", () => {
    const count = key("count", z.string().transform(Number));
    const again = key("again", count.type);
    expectTypeOf(again).toEqualTypeOf<Key<"again", number, string>>();
    expectTypeOf(key("thrice", again.type)).toEqualTypeOf<Key<"thrice", number, string>>();
    expectTypeOf(key("other", key("user", type<User>()).type)).toEqualTypeOf<Key<"other", User, User>>();
    expectTypeOf(key("maybe", key("m", type<string | undefined>()).type)).toEqualTypeOf<
      Key<"maybe", string | undefined, string | undefined>
    >();
  });

  test("CORE-2 bodies, inputs and outputs take their types from the keys, without a cast", () => {
    const count = key("count", z.string().transform(Number));
    const user = key("user", type<User>());
    const line = key("line", z.string());
    const write = node("write", { requires: [count, optional(user)], provides: [line] }, (values) => {
      expectTypeOf(values.count).toEqualTypeOf<number>();
      expectTypeOf(values.user).toEqualTypeOf<User | undefined>();
      return { line: `${values.count}` };
    });
    const report = graph("report", { inputs: [count, optional(user)], outputs: [line, count], nodes: [write] });
    expectTypeOf<InputsOf<typeof report>>().branded.toEqualTypeOf<{
      readonly count: string;
      readonly user?: User | typeof skipped;
    }>();
    expectTypeOf<OutputsOf<typeof report>>().toEqualTypeOf<{ readonly line: string; readonly count: number }>();
  });

  test("CORE-2 a key is made with nothing else", () => {
    // @ts-expect-error a name of a type is no type
    key("url", "string");
    // @ts-expect-error a class is no schema
    key("when", Date);
  });
});
