import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createCodecs, json } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

describe("schemas that have no way back", () => {
  const wrong: Record<string, z.ZodType> = {
    "a one-way transform": z.string().transform((text) => text.length),
    "a preprocess": z.preprocess((value) => value, z.string()),
    "a transform after a pipe": z.string().pipe(z.transform((text: string) => text.length)),
    "a function": z.function(),
    "a symbol": z.symbol(),
    "a promise": z.promise(z.string()),
    "a file": z.file(),
    "z.custom()": z.custom<string>((value) => typeof value === "string"),
    "z.instanceof()": z.instanceof(URL),
    "a field named __proto__": z
      .object(JSON.parse('{"__proto__":null}') as object)
      .extend(Object.fromEntries([["__proto__", z.string()]])),
  };

  for (const [name, schema] of Object.entries(wrong)) {
    test(`CODEC-15 ${name} is refused by key and path before any value is there`, () => {
      const nested = z.object({ page: z.array(schema).optional(), other: z.string() });
      const error = refusal(() => createCodecs().forType(nested, "page key"));
      expect(error.details.key).toBe("page key");
      expect(error.details.path).toMatch(/^page<item>/);
      expect(refusal(() => json(schema, { id: "a", version: "1" })).code).toBe("PULSE_CODEC");
    });
  }

  test("CODEC-15 it is found wherever it hides", () => {
    const bad = z.symbol();
    const places: readonly (readonly [z.ZodType, string])[] = [
      [z.union([z.string(), z.object({ a: bad })]), "a"],
      [z.map(z.string(), bad), "<Map value>"],
      [z.set(bad), "<Set item>"],
      [z.record(z.string(), bad), "<value>"],
      [z.tuple([z.string()], bad), "<rest>"],
      [z.tuple([z.string(), bad]), "[1]"],
      [z.looseObject({}).catchall(bad), "<other fields>"],
      [z.intersection(z.object({ a: z.string() }), z.object({ b: bad })), "b"],
      [z.object({ a: z.lazy(() => bad) }), "a"],
      [z.object({ a: bad.default(Symbol.iterator) }), "a"],
      [z.object({ a: z.string().pipe(bad as never) }), "a"],
      [
        z.object({
          a: z.codec(bad as never, z.string(), { decode: () => "", encode: () => Symbol.iterator as never }),
        }),
        "a",
      ],
    ];
    for (const [schema, path] of places)
      expect(refusal(() => createCodecs().forType(schema, "k")).details.path).toBe(path);
  });

  test("CODEC-15 a two-way codec may have anything on its own side", () => {
    const url = z.codec(z.url(), z.instanceof(URL), { decode: (text) => new URL(text), encode: (value) => value.href });
    const codec = createCodecs().forType(z.object({ url }), "k");
    expect(codec.decode(codec.encode({ url: new URL("https://a.b/") }))).toStrictEqual({
      url: new URL("https://a.b/"),
    });
  });

  test("CODEC-15 a schema that never ends is refused", () => {
    const endless = (): z.ZodType => z.lazy(() => z.array(endless()));
    expect(refusal(() => json(endless(), { id: "a", version: "1" })).message).toContain("without an end");
    expect(refusal(() => createCodecs().forType(endless(), "page")).details.key).toBe("page");
  });
});
