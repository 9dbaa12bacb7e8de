import fc from "fast-check";
import { type } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { createCodecs, defineCodec, depthMax, json, type Codec } from "./index.ts";
import { firstDifference } from "./testing/first-difference.ts";
import { refusal, unlessRefused } from "./testing/refusal.ts";

const of = <Schema extends z.ZodType>(schema: Schema): Codec<z.output<Schema>> =>
  json(schema, { id: "test", version: "1" });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (schema: z.ZodType, value: unknown): string => new TextDecoder().decode(of(schema).encode(value));
const roundTrip = (schema: z.ZodType, value: unknown): unknown => of(schema).decode(of(schema).encode(value));
const read = (schema: z.ZodType, text: string): unknown => of(schema).decode(bytesOf(text), { key: "page" });

const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
const money = z.codec(z.int(), z.instanceof(Money), {
  decode: (cents) => new Money(cents),
  encode: (sum) => sum.cents,
});

describe("schemas as JSON", () => {
  test("CODEC-4 a zod schema becomes a codec with the given id and version", () => {
    const codec = json(z.object({ title: z.string() }), { id: "page", version: "3" });
    expect([codec.id, codec.version]).toEqual(["page", "3"]);
    expect(codec.decode(codec.encode({ title: "a" }))).toEqual({ title: "a" });
  });

  test("CODEC-4 a schema of zod mini works as well", () => {
    expect(
      json(mini.object({ a: mini.optional(mini.number()) }), { id: "m", version: "1" }).decode(bytesOf('{"a":1}')),
    ).toEqual({ a: 1 });
  });

  test("CODEC-4 two-way codecs of zod run in both directions", () => {
    const schema = z.object({ at: isoDate, price: money, on: z.stringbool() });
    const value = { at: new Date(0), price: new Money(5), on: true };
    expect(textOf(schema, value)).toBe('{"at":"1970-01-01T00:00:00.000Z","on":"true","price":5}');
    expect(roundTrip(schema, value)).toStrictEqual(value);
  });

  test("CODEC-4 pipes, defaults, catches, brands and readonly keep the output's type", () => {
    const schema = z.object({
      a: z.string().pipe(z.email()),
      b: z.number().default(7),
      c: z.string().catch("x"),
      d: z.string().brand("id"),
      e: z.array(z.number()).readonly(),
      f: z.string().prefault("y"),
    });
    const value = { a: "a@b.co", b: 1, c: "c", d: "d", e: [1], f: "f" };
    expect(roundTrip(schema, value)).toEqual(value);
  });

  test("CODEC-4 what a zod codec writes, but cannot read back, is refused while the value is there", () => {
    const lossy = z.codec(z.string(), z.string(), { decode: (text) => `${text}!`, encode: (text) => `${text}?` });
    expect(refusal(() => of(lossy).encode("a", { key: "page" })).message).toContain("undo each other");
    const growing = z.string().overwrite((text) => `${text}!`);
    expect(refusal(() => of(growing).encode("a")).message).toContain("undo each other");
    expect(roundTrip(z.string().trim().toLowerCase(), "  A ")).toBe("a");
  });
});

describe("canonical JSON", () => {
  test("CODEC-8 keys are sorted by UTF-16 code units, and there is no white space", () => {
    const schema = z.record(z.string(), z.number());
    expect(textOf(schema, { "\u20ac": 1, "\r": 2, "\ufb33": 3, 1: 4, "😀": 5, "\u0080": 6, ö: 7 })).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    );
  });

  test("CODEC-8 numbers are written as JavaScript prints them, and -0 as -0", () => {
    expect(textOf(z.array(z.number()), [1e21, 1e-7, 0.1, -0, Number("333333333.33333329"), 1e30])).toBe(
      "[1e+21,1e-7,0.1,-0,333333333.3333333,1e+30]",
    );
    expect(Object.is(roundTrip(z.number(), -0), -0)).toBe(true);
  });

  test("CODEC-8 NaN and infinities are refused by key and path, also where the schema takes them", () => {
    const schema = z.object({ list: z.array(z.union([z.number(), z.nan()])) });
    for (const bad of [Number.NaN, Infinity, -Infinity]) {
      const error = refusal(() => of(schema).encode({ list: [1, bad] }, { key: "page" }));
      expect([error.details.key, error.details.path]).toEqual(["page", "list[1]"]);
    }
    expect(refusal(() => of(z.object({ a: z.nan() })).encode({ a: Number.NaN })).details.path).toBe("a");
  });

  test("CODEC-8 a codec of the schema's own may map NaN", () => {
    const nan = z.codec(z.literal("NaN"), z.nan(), { decode: () => Number.NaN, encode: () => "NaN" as const });
    expect(textOf(nan, Number.NaN)).toBe('"NaN"');
    expect(roundTrip(nan, Number.NaN)).toBe(Number.NaN);
  });

  test("CODEC-7 a lone surrogate in a value or a name is refused by path", () => {
    expect(refusal(() => of(z.object({ a: z.string() })).encode({ a: "\ud800" })).details.path).toBe("a");
    expect(refusal(() => of(z.record(z.string(), z.number())).encode({ "\ud800": 1 })).message).toContain("surrogate");
  });
});

describe("decoding", () => {
  const page = z.object({ title: z.string(), tags: z.array(z.string()).optional() });

  test("CODEC-8 unknown fields are refused by path, nested and in unions too", () => {
    const error = refusal(() => read(z.object({ page }), '{"page":{"extra":1,"title":"a"}}'));
    expect([error.details.key, error.details.path]).toEqual(["page", "page.extra"]);
    const union = z.union([z.object({ a: z.string() }), z.object({ a: z.number(), b: z.number() })]);
    expect(read(union, '{"a":1,"b":2}')).toEqual({ a: 1, b: 2 });
    expect(refusal(() => read(union, '{"a":"x","b":2}')).code).toBe("PULSE_CODEC");
    const both = z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }));
    expect(read(both, '{"a":"x","b":"y"}')).toEqual({ a: "x", b: "y" });
    expect(refusal(() => read(both, '{"a":"x","b":"y","c":1}')).code).toBe("PULSE_CODEC");
  });

  test("CODEC-8 trailing content, duplicate keys, other spellings and invalid UTF-8 are refused", () => {
    const texts = [
      '{"title":"a"}x',
      '{"title":"a"} ',
      ' {"title":"a"}',
      '{"title":"a","title":"b"}',
      '{"title":"\\u0061"}',
      '{"title":"a",}',
      "",
      "{",
      "null",
    ];
    for (const text of texts) expect([text, refusal(() => read(page, text)).code]).toEqual([text, "PULSE_CODEC"]);
    for (const text of ["1.0", "1e2", "01", "+1", "-0.0"])
      expect([text, refusal(() => read(z.number(), text)).code]).toEqual([text, "PULSE_CODEC"]);
    expect(refusal(() => of(page).decode(new Uint8Array([0x22, 0xc3, 0x22]))).message).toContain("UTF-8");
  });

  test("CODEC-8 what does not fit the type is refused by path", () => {
    expect(refusal(() => read(page, '{"title":1}')).details.path).toBe("title");
    expect(refusal(() => read(page, '{"tags":["a",2],"title":"a"}')).details.path).toBe("tags[1]");
    expect(refusal(() => read(page, "{}")).details.path).toBe("title");
    expect(refusal(() => read(z.number(), "{}")).code).toBe("PULSE_CODEC");
  });

  test("CODEC-8 no prototype is touched", () => {
    for (const schema of [z.looseObject({}), z.record(z.string(), z.any()), z.object({}), z.json(), z.any()]) {
      unlessRefused(() => read(schema, '{"__proto__":{"polluted":1}}'), undefined);
      expect("polluted" in {}).toBe(false);
    }
    const back = read(z.any(), '{"__proto__":{"polluted":1}}') as object;
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
  });

  test("CODEC-14 defaults, catches, coercion and overwrites do not repair bytes", () => {
    expect(refusal(() => read(z.object({ a: z.number().default(1) }), "{}")).code).toBe("PULSE_CODEC");
    expect(refusal(() => read(z.object({ a: z.number().catch(1) }), '{"a":"x"}')).code).toBe("PULSE_CODEC");
    expect(refusal(() => read(z.object({ a: z.number().prefault(1) }), "{}")).code).toBe("PULSE_CODEC");
    expect(refusal(() => read(z.coerce.number(), '"5"')).code).toBe("PULSE_CODEC");
    expect(refusal(() => read(z.string().trim(), '" a"')).code).toBe("PULSE_CODEC");
    expect(refusal(() => read(z.stringbool(), '"yes"')).code).toBe("PULSE_CODEC");
    expect(refusal(() => read(isoDate, '"1970-01-01T00:00:00Z"')).code).toBe("PULSE_CODEC");
  });

  test("CODEC-14 a stripping schema drops what it does not know when encoding; a strict one refuses it by path", () => {
    expect(textOf(page, { title: "a", extra: () => 1 })).toBe('{"title":"a"}');
    const strict = z.object({ page: z.strictObject({ a: z.string() }) });
    const error = refusal(() => of(strict).encode({ page: { a: "x", b: 1 } } as never));
    expect(error.details.path).toBe("page");
    expect(error.message).toContain('"b"');
    expect(textOf(z.looseObject({ a: z.string() }), { a: "x", b: [1n] })).toBe('{"a":"x","b":[0,["bigint","1"]]}');
  });

  test("CODEC-14 a value that the schema refuses is refused by key and path", () => {
    const error = refusal(() => of(page).encode({ title: 1 } as never, { key: "page" }));
    expect([error.details.key, error.details.path]).toEqual(["page", "title"]);
  });
});

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

describe("async schemas", () => {
  test("CODEC-15 an async refinement or codec is refused by key when a value first meets it", () => {
    const refined = z.object({ a: z.string().refine(async () => true) });
    const coded = z.codec(z.string(), z.string(), { decode: async (text) => text, encode: async (text) => text });
    for (const codec of [of(refined), of(coded)] as Codec[]) {
      const error = refusal(() => codec.encode(codec.type === refined ? { a: "x" } : "x", { key: "page" }));
      expect([error.details.key, error.message.includes("async")]).toEqual(["page", true]);
    }
  });
});

describe("schemas with a codec of their own", () => {
  test("CODEC-15 custom and instanceof inside a schema are written by the codec that is registered for them", () => {
    const sum = z.instanceof(Money);
    const codecs = createCodecs();
    const cart = z.object({ sums: z.array(sum) });
    expect(refusal(() => codecs.forType(cart, "cart")).details.path).toBe("sums<item>");
    codecs.register(
      defineCodec<typeof sum, Money>({
        type: sum,
        id: "money",
        version: "1",
        encode: (value) => bytesOf(String(value.cents)),
        decode: (bytes) => new Money(Number(new TextDecoder().decode(bytes))),
      }),
    );
    const codec = codecs.forType(cart, "cart");
    const back = codec.decode(codec.encode({ sums: [new Money(7)] })) as { sums: Money[] };
    expect(back.sums[0]).toStrictEqual(new Money(7));
    const odd = Object.defineProperty(new Money(1), "cents", {
      get: () => {
        throw new Error("no sum");
      },
    });
    const error = refusal(() => codec.encode({ sums: [new Money(1), odd] }, { key: "cart" }));
    expect([error.details.path, error.message.includes("no sum")]).toEqual(["sums[1]", true]);
    expect(refusal(() => codecs.forType(z.union([sum, z.string()]), "either")).message).toContain(
      "cannot stand in a union",
    );
    expect(refusal(() => codecs.forType(z.map(z.string(), sum), "map")).details.path).toBe("<Map value>");
  });

  test("CODEC-4 json() takes zod schemas only", () => {
    expect(refusal(() => json(type() as never, { id: "a", version: "1" })).message).toContain("zod");
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
