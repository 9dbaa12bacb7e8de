import { type } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { createCodecs, defineCodec, json, type Codec } from "./index.ts";
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
