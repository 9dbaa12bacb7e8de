import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  bytesType,
  compress,
  createCodecs,
  depthMax,
  encrypt,
  json,
  keyRing,
  stringType,
  structured,
  valueBytesMax,
  type Codec,
} from "./index.ts";
import { reasonOf, refusal } from "./testing/refusal.ts";

const ring = keyRing({ keys: { k1: randomBytes(32) } });
const codecs = createCodecs();
const automatic = (schema: Parameters<typeof codecs.forType>[0]): Codec => codecs.forType(schema, "value");

const lists: z.ZodType = z.lazy(() => z.array(lists));
const objects: z.ZodType = z.lazy(() => z.object({ a: objects.optional() }));
const records: z.ZodType = z.lazy(() => z.record(z.string(), records));
const tuples: z.ZodType = z.lazy(() => z.tuple([]).rest(tuples));
const nullable: z.ZodType = z.lazy(() => z.array(nullable.nullable().readonly()));
const unions: z.ZodType = z.lazy(() => z.union([z.int(), z.object({ a: unions }).strict(), z.object({})]));
const defaults: z.ZodType = z.lazy(() => z.object({ a: defaults.optional().catch(undefined) }));
const maps: z.ZodType = z.lazy(() => z.map(z.string(), maps));
const sets: z.ZodType = z.lazy(() => z.set(sets));
const coded: z.ZodType = z.lazy(() =>
  z.codec(z.object({ a: z.array(coded) }), z.any(), { decode: (given) => given, encode: (given) => given as never }),
);
const standard = {
  "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) },
} as const;

/** A codec, what makes a value one level deeper, the value inside all, and how many levels one step makes. */
interface Nest {
  readonly codec: Codec;
  readonly around: (value: unknown) => unknown;
  readonly innermost: () => unknown;
  readonly levels?: number;
}

const list = (value: unknown): unknown => [value];
const object = (value: unknown): unknown => ({ a: value });
const map = (value: unknown): unknown => new Map([["a", value]]);
const set = (value: unknown): unknown => new Set([value]);
const nests: Readonly<Record<string, Nest>> = {
  "json, arrays": { codec: json(lists, { id: "a", version: "1" }), around: list, innermost: () => [] },
  "automatic, objects": { codec: automatic(objects), around: object, innermost: () => ({}) },
  "automatic, records": { codec: automatic(records), around: object, innermost: () => ({}) },
  "automatic, tuples": { codec: automatic(tuples), around: list, innermost: () => [] },
  "automatic, nullable and readonly": { codec: automatic(nullable), around: list, innermost: () => [null] },
  "automatic, unions": { codec: automatic(unions), around: object, innermost: () => ({}) },
  "automatic, catches": { codec: automatic(defaults), around: object, innermost: () => ({}) },
  "automatic, Maps": { codec: automatic(maps), around: map, innermost: () => new Map() },
  "automatic, Sets": { codec: automatic(sets), around: set, innermost: () => new Set() },
  "automatic, codecs": {
    codec: automatic(coded),
    around: (value) => ({ a: [value] }),
    innermost: () => ({ a: [] }),
    levels: 2,
  },
  "automatic, any": { codec: automatic(z.any()), around: object, innermost: () => ({}) },
  "standard schema": { codec: automatic(standard), around: list, innermost: () => [] },
  "structured, objects": { codec: structured(), around: object, innermost: () => ({}) },
  "structured, Maps": { codec: structured(), around: map, innermost: () => new Map() },
  "structured, causes": {
    codec: structured(),
    around: (cause) =>
      Object.defineProperty(new Error("x"), "cause", { value: cause, configurable: true, writable: true }),
    innermost: () => [],
  },
  "compress around json": {
    codec: compress(json(objects, { id: "o", version: "1" })) as Codec,
    around: object,
    innermost: () => ({}),
  },
  "encrypt around json": {
    codec: encrypt(json(lists, { id: "l", version: "1" }), ring),
    around: list,
    innermost: () => [],
  },
  "encrypt around compress around structured": {
    codec: encrypt(compress(structured()), ring),
    around: list,
    innermost: () => [],
  },
};

function nested({ around, innermost }: Nest, steps: number): unknown {
  let value = innermost();
  for (let step = 0; step < steps; step++) value = around(value);
  return value;
}

/** Enough to overflow any recursion; a million, which takes its time, for one codec of each kind. */
const far = (name: string): number =>
  /^(json|structured), (arrays|objects)|^encrypt around json/.test(name) ? 1_000_000 : 30_000;

describe("depth", () => {
  for (const [name, nest] of Object.entries(nests)) {
    const { codec, levels = 1 } = nest;
    // The innermost value is a container too, of as many levels as each step.
    const deepest = depthMax / levels - 1;

    test(`CODEC-12 ${name}: ${depthMax} levels pass both ways, one step more and many more are refused with the figure`, () => {
      const value = nested(nest, deepest);
      const decoded = codec.decode(codec.encode(value));
      expect(codec.fingerprint(decoded)).toBe(codec.fingerprint(value));
      for (const steps of [deepest + 1, far(name)]) {
        const tooDeep = nested(nest, steps);
        expect(reasonOf(() => codec.encode(tooDeep))).toContain(`deeper than ${depthMax} levels (depthMax)`);
        expect(reasonOf(() => codec.fingerprint(tooDeep))).toContain(`deeper than ${depthMax} levels (depthMax)`);
      }
    });
  }

  /** What stands before and after each level in the text, for texts that no encoding makes. */
  const texts: Readonly<Record<string, readonly [codec: Codec, before: string, inside: string, after: string]>> = {
    "json, arrays": [json(lists, { id: "a", version: "1" }), "[", "", "]"],
    "automatic, objects": [automatic(objects), '{"a":', "{}", "}"],
    "automatic, unions": [automatic(unions), '{"a":', "{}", "}"],
    "automatic, any": [automatic(z.any()), "[0,", "0", "]"],
    "automatic, Maps": [automatic(maps), '["Map","a",', '["Map"]', "]"],
    "standard schema": [automatic(standard), '{"a":', "{}", "}"],
    "structured, objects": [structured(), '{"a":', "0", "}"],
    "structured, arrays": [structured(), "[0,", "0", "]"],
    "structured, Sets": [structured(), '["Set",', "0", "]"],
    "structured, bare objects": [structured(), '["null",{"a":', "0", "}]"],
    "structured, causes": [structured(), '["Error",{"cause":', "0", "},{}]"],
    "structured, views": [structured(), '["Uint8Array",', '["ArrayBuffer",""]', "]"],
    "structured, what it never writes": [structured(), "[", "", "]"],
  };
  for (const [name, [codec, before, inside, after]] of Object.entries(texts)) {
    test(`CODEC-12 ${name}: bytes that are nested too deep are refused, and never overflow the stack`, () => {
      for (const levels of [depthMax + 1, far(name)]) {
        const bytes = Buffer.from(before.repeat(levels) + inside + after.repeat(levels));
        const reason = reasonOf(() => codec.decode(bytes));
        expect(reason).not.toMatch(/stack/i);
        expect(reason).toMatch(/deeper than|nothing that structured\(\) writes/);
      }
    });
  }
});

describe("size", () => {
  const text = "x".repeat(valueBytesMax + 1);
  const texts: Readonly<Record<string, Codec>> = {
    string: automatic(stringType),
    "json, a string": json(z.string(), { id: "s", version: "1" }) as Codec,
    "automatic, any": automatic(z.any()),
    "standard schema": automatic(standard),
    structured: structured(),
    compress: compress(structured(undefined, { id: "c" })) as Codec,
    encrypt: encrypt(json(z.string(), { id: "s", version: "1" }), ring) as Codec,
  };
  for (const [name, codec] of Object.entries(texts)) {
    test(`CODEC-12 ${name}: more than valueBytesMax is refused with the figure, encoding and decoding`, () => {
      expect(reasonOf(() => codec.encode(text))).toContain(`${valueBytesMax} (valueBytesMax)`);
      expect(reasonOf(() => codec.decode(new Uint8Array(valueBytesMax + 1)))).toContain(
        `${valueBytesMax} (valueBytesMax)`,
      );
    });
  }

  test("CODEC-12 bytes: valueBytesMax passes both ways, one more is refused with the figure", () => {
    const codec = automatic(bytesType) as Codec<Uint8Array>;
    expect(codec.decode(codec.encode(new Uint8Array(valueBytesMax))).byteLength).toBe(valueBytesMax);
    expect(reasonOf(() => codec.encode(new Uint8Array(valueBytesMax + 1)))).toContain(
      `${valueBytesMax} (valueBytesMax)`,
    );
  });

  test("CODEC-12 parts with codecs of their own are counted as they are written", () => {
    const blob = z.instanceof(Uint8Array);
    const own = createCodecs();
    own.register({ ...(automatic(bytesType) as Codec<Uint8Array>), type: blob, id: "blob" } as Codec);
    const half = new Uint8Array(valueBytesMax / 2);
    const refused = refusal(() => own.forType(z.array(blob), "value").encode([half, half, half]));
    // In base64 two of them are too many, so the third is not looked at.
    expect(refused.details).toMatchObject({ path: "[1]", reason: expect.stringContaining("(valueBytesMax)") });
  });

  test("CODEC-12 many small parts and big bytes inside a value are refused before their text is made", () => {
    const parts = Array.from({ length: 70 }, () => "y".repeat(1_000_000));
    expect(reasonOf(() => automatic(z.array(z.string())).encode(parts))).toContain("(valueBytesMax)");
    expect(reasonOf(() => structured().encode(parts))).toContain("(valueBytesMax)");
    expect(reasonOf(() => structured().encode({ big: new Uint8Array(valueBytesMax) }))).toContain("(valueBytesMax)");
  });
});
