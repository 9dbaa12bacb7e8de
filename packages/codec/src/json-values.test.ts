import fc from "fast-check";
import { type } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createCodecs, depthMax, json, type Codec } from "./index.ts";
import { firstDifference } from "./testing/first-difference.ts";
import { refusal, unlessRefused } from "./testing/refusal.ts";

const of = <Schema extends z.ZodType>(schema: Schema): Codec<z.output<Schema>> =>
  json(schema, { id: "test", version: "1" });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (schema: z.ZodType, value: unknown): string => new TextDecoder().decode(of(schema).encode(value));
const roundTrip = (schema: z.ZodType, value: unknown): unknown => of(schema).decode(of(schema).encode(value));
const read = (schema: z.ZodType, text: string): unknown => of(schema).decode(bytesOf(text), { key: "page" });

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
describe("values that are more than JSON", () => {
  test("CODEC-5 date, bigint, map, set, undefined, any and unknown are written by structured(), the rest as JSON", () => {
    const schema = z.object({
      date: z.date(),
      big: z.bigint(),
      map: z.map(z.string(), z.date()),
      set: z.set(z.number()),
      nothing: z.undefined(),
      any: z.any(),
      unknown: z.unknown(),
      list: z.array(z.string()),
    });
    const value = {
      date: new Date(5),
      big: 1n,
      map: new Map([["a", new Date(6)]]),
      set: new Set([1]),
      nothing: undefined,
      any: [Number.NaN],
      unknown: { a: 1 },
      list: ["x"],
    };
    expect(textOf(schema, value)).toBe(
      '{"any":[0,["NaN"]],"big":["bigint","1"],"date":["Date",5],"list":["x"],"map":["Map","a",["Date",6]],"nothing":["undefined"],"set":["Set",1],"unknown":{"a":1}}',
    );
    expect(roundTrip(schema, value)).toStrictEqual(value);
  });

  test("V3 CODEC-5 a field that is undefined is not one that is missing", () => {
    const schema = z.object({ a: z.string().optional(), b: z.number() });
    expect(textOf(schema, { b: 1 })).toBe('{"b":1}');
    expect(roundTrip(schema, { a: undefined, b: 1 })).toStrictEqual({ a: undefined, b: 1 });
    expect(Object.keys(roundTrip(schema, { b: 1 }) as object)).toEqual(["b"]);
    expect(roundTrip(z.array(z.string().optional()), ["a", undefined])).toStrictEqual(["a", undefined]);
    expect(roundTrip(z.array(z.array(z.string()).optional()), [["a"], undefined, []])).toStrictEqual([
      ["a"],
      undefined,
      [],
    ]);
    expect(roundTrip(z.string().optional(), undefined)).toBe(undefined);
    expect(roundTrip(z.string().nullish(), null)).toBe(null);
    expect(roundTrip(z.record(z.string(), z.string().optional()), { a: undefined })).toStrictEqual({ a: undefined });
    expect(roundTrip(z.tuple([z.string(), z.number().optional()]), ["a"])).toStrictEqual(["a"]);
  });

  test("V7 CODEC-5 a Date is a Date in both runs, in unions too", () => {
    const schema = z.union([z.string(), z.object({ at: z.date().nullable() })]);
    for (const value of ["2020-01-01", { at: new Date(0) }, { at: null }])
      expect(roundTrip(schema, value)).toStrictEqual(value);
    const either = z.union([z.string(), z.date(), z.array(z.date())]);
    for (const value of ["x", new Date(1), [new Date(2)]]) expect(roundTrip(either, value)).toStrictEqual(value);
  });

  test("CODEC-5 unions of objects stay plain JSON where the value is", () => {
    const schema = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.number().optional() }),
      z.object({ kind: z.literal("b"), y: z.any() }),
    ]);
    expect(textOf(schema, { kind: "a", x: 1 })).toBe('{"kind":"a","x":1}');
    expect(roundTrip(schema, { kind: "a", x: undefined })).toStrictEqual({ kind: "a", x: undefined });
    expect(roundTrip(schema, { kind: "b", y: [Number.NaN, 1n] })).toStrictEqual({ kind: "b", y: [Number.NaN, 1n] });
    expect(roundTrip(schema, { kind: "b", y: [["undefined"]] })).toStrictEqual({ kind: "b", y: [["undefined"]] });
  });

  test("V4 CODEC-7 data that looks like what structured() writes stays data", () => {
    const schema = z.object({ list: z.array(z.array(z.string())), json: z.json() });
    for (const value of [
      { list: [["Date", "5"]], json: [["undefined"]] },
      { list: [["undefined"]], json: { $date: 0, lc: 2 } },
    ]) {
      expect(roundTrip(schema, value)).toStrictEqual(value);
    }
  });

  test("V6 CODEC-7 odd field names are unchanged, and __proto__, which zod would drop, is refused where it would be kept", () => {
    const schema = z.record(z.string(), z.number());
    const value = { user_id: 1, "a.b": 2, constructor: 3, toString: 4, "": 5 };
    expect(roundTrip(schema, value)).toStrictEqual(value);
    const proto = JSON.parse('{"__proto__":1}') as Record<string, number>;
    for (const kept of [schema, z.looseObject({}), z.union([schema, z.string()])]) {
      expect(refusal(() => of(kept).encode(proto as never)).message).toContain("__proto__");
    }
    expect(firstDifference(roundTrip(z.object({ a: z.any() }), { a: proto }), { a: proto })).toBeUndefined();
  });

  test("CODEC-5 recursive schemas", () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree).optional();
      },
    });
    const value = { name: "a", children: [{ name: "b", children: [] }, { name: "c" }] };
    expect(textOf(tree, value)).toBe('{"children":[{"children":[],"name":"b"},{"name":"c"}],"name":"a"}');
    expect(roundTrip(tree, value)).toStrictEqual(value);
    const nested: z.ZodType = z.lazy(() =>
      z.union([z.string(), z.array(nested), z.object({ at: z.date(), inner: nested.optional() })]),
    );
    const odd = ["a", [{ at: new Date(1), inner: ["b", { at: new Date(2), inner: undefined }] }]];
    expect(roundTrip(nested, odd)).toStrictEqual(odd);
  });

  test("CODEC-7 a class instance or an accessor is not silently made plain", () => {
    const schema = z.object({ sums: z.array(z.object({ cents: z.number() })) });
    expect(refusal(() => of(schema).encode({ sums: [new Money(1)] })).details.path).toBe("sums[0]");
    const lazy = Object.defineProperty({}, "cents", { get: () => 1, enumerable: true }) as { cents: number };
    expect(refusal(() => of(schema).encode({ sums: [lazy] })).details.path).toBe("sums[0].cents");
    const throwing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    ) as { cents: number };
    const error = refusal(() => of(schema).encode({ sums: [throwing] }));
    expect([error.details.path, error.message.includes("trap")]).toEqual(["sums[0]", true]);
  });

  test("CODEC-10 live channels are refused wherever they hide, also in a field that the schema would drop", () => {
    const schema = z.object({ a: z.array(z.any()), m: z.any().optional() });
    for (const channel of [
      new ReadableStream(),
      (async function* () {
        yield 1;
      })(),
    ]) {
      for (const value of [
        { a: [channel] },
        { a: [{ b: channel }] },
        { a: [], m: new Map([[1, channel]]) },
        { a: [], dropped: { deep: [channel] } },
      ]) {
        expect(refusal(() => of(schema).encode(value)).message).toContain("live channel");
      }
    }
    expect(
      refusal(() => of(schema).encode({ a: [], dropped: { deep: new ReadableStream() } } as never)).details.path,
    ).toBe("dropped.deep");
  });
});

describe("limits", () => {
  const chain = z.object({
    get next() {
      return chain.optional();
    },
  });
  const nest = (levels: number): object => {
    let value = {};
    for (let level = 1; level < levels; level++) value = { next: value };
    return value;
  };

  test("CODEC-12 nesting up to depthMax passes both ways, deeper is refused with the figure", () => {
    expect(roundTrip(chain, nest(depthMax))).toEqual(nest(depthMax));
    expect(refusal(() => of(chain).encode(nest(depthMax + 1))).message).toContain(String(depthMax));
    expect(refusal(() => of(chain).encode(nest(50_000))).message).toContain("depthMax");
    expect(refusal(() => read(chain, `${'{"next":'.repeat(50_000)}{}${"}".repeat(50_000)}`)).message).toContain(
      "depthMax",
    );
    expect(refusal(() => read(z.json(), `${"[".repeat(50_000)}${"]".repeat(50_000)}`)).message).toContain("depthMax");
  });

  test("CODEC-12 a value that contains itself is refused, not followed for ever", () => {
    const value: { next?: unknown } = {};
    value.next = value;
    expect(refusal(() => of(chain).encode(value as never)).message).toContain("contains itself");
  });

  test("CODEC-12 an array that cannot fit is refused before the schema walks its holes", () => {
    const list: string[] = Object.assign([], { length: 4_294_967_295 });
    expect(refusal(() => of(z.object({ list: z.array(z.string()) })).encode({ list })).details.path).toBe("list");
  });

  test("V8 CODEC-7 a schema object that was captured in a value is refused by its path", () => {
    expect(
      refusal(() => createCodecs().forType(type(), "page").encode({ text: "a", schema: chain })).details.path,
    ).toBe("schema");
    expect(refusal(() => of(z.object({ any: z.any() })).encode({ any: { schema: chain } })).details.path).toBe(
      "any.schema",
    );
  });

  test("V8 CODEC-12 a value that is too big is refused by its path", () => {
    const part = "x".repeat(20 * 1024 * 1024);
    expect(
      refusal(() => of(z.object({ a: z.array(z.string()) })).encode({ a: [part, part, part, part] })).details.path,
    ).toBe("a[3]");
  });
});

describe("any values", () => {
  const seed = Number(process.env["PULSE_SEED"] ?? 20_260_102);
  const schema = z.object({
    id: z.int(),
    name: z.string().nullable(),
    tags: z.array(z.string()).optional(),
    at: z.date().optional(),
    extra: z.record(z.string(), z.union([z.number(), z.boolean(), z.array(z.number())])),
    kind: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), n: z.bigint() }),
      z.object({ kind: z.literal("b"), x: z.string().optional() }),
    ]),
    any: z.unknown(),
  });
  const text = fc.string({ unit: "binary", maxLength: 6 });
  const values = fc.record(
    {
      id: fc.integer(),
      name: fc.option(text),
      tags: fc.option(fc.array(text), { nil: undefined }),
      at: fc.option(fc.date({ noInvalidDate: true }), { nil: undefined }),
      extra: fc.dictionary(
        text.filter((key) => key !== "__proto__"),
        fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.integer())),
        { noNullPrototype: true },
      ),
      kind: fc.oneof(
        fc.record({ kind: fc.constant("a"), n: fc.bigInt() }, { noNullPrototype: true }),
        fc.record(
          { kind: fc.constant("b"), x: fc.option(text, { nil: undefined }) },
          { requiredKeys: ["kind"], noNullPrototype: true },
        ),
      ),
      any: fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withSparseArray: true,
        key: text,
        values: [text, fc.double(), fc.constant(undefined)],
      }),
    },
    { requiredKeys: ["id", "name", "extra", "kind", "any"], noNullPrototype: true },
  );

  test(`CODEC-8 any value of a schema comes back equal, with the only bytes it has (seed ${seed})`, () => {
    const codec = of(schema);
    fc.assert(
      fc.property(values, (value) => {
        const bytes = codec.encode(value);
        const back = codec.decode(bytes);
        expect(firstDifference(value, back)).toBeUndefined();
        expect(codec.encode(back)).toEqual(bytes);
      }),
      { seed, numRuns: 500 },
    );
  });

  test(`CODEC-14 any JSON is refused or is what encoding writes (seed ${seed})`, () => {
    const loose = of(
      z.object({ a: z.json().optional(), b: z.array(z.union([z.string(), z.object({ c: z.number() })])).optional() }),
    );
    const texts = fc
      .record(
        { a: fc.jsonValue(), b: fc.array(fc.oneof(fc.string(), fc.record({ c: fc.double() }))), d: fc.constant(1) },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(texts, (json) => {
        const bytes = bytesOf(json);
        expect(unlessRefused(() => loose.encode(loose.decode(bytes)), bytes)).toEqual(bytes);
      }),
      { seed, numRuns: 500 },
    );
  });
});
