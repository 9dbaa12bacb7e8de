import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { key } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import {
  compress,
  createCodecs,
  createEmptyCodecs,
  defineCodec,
  depthMax,
  encrypt,
  json,
  keyRing,
  sha256Hex,
  stringType,
  structured,
  wrapCodecs,
  type Codec,
  type Codecs,
} from "./index.ts";
import { reasonOf, refusal } from "./testing/refusal.ts";

const ring = keyRing({ keys: { k1: randomBytes(32), k2: randomBytes(32) }, current: "k1" });
const secret = "4929-7318";
const pin = z.string().min(4);

/** A registry in which `pin` is encrypted. */
function withPin(): Codecs {
  const codecs = createCodecs();
  codecs.register(encrypt(json(pin, { id: "pin", version: "1" }), ring));
  return codecs;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const shownBy = (error: Error): string => inspect(error, { depth: Infinity, showHidden: true }) + String(error.stack);

describe("an encrypted schema inside others", () => {
  const lazyPin: z.ZodType<string> = z.lazy(() => pin);
  const places: readonly (readonly [string, z.ZodType, unknown])[] = [
    ["a field", z.object({ pin, name: z.string() }), { pin: secret, name: "ada" }],
    ["an optional field", z.object({ pin: pin.optional() }), { pin: secret }],
    ["a field that is missing", z.object({ pin: pin.optional() }), {}],
    ["a nullable field", z.object({ pin: pin.nullable() }), { pin: secret }],
    ["a field with a default", z.object({ pin: pin.default("0000") }), { pin: secret }],
    ["a readonly field", z.object({ pin: pin.readonly() }), { pin: secret }],
    ["a field of a partial object", z.object({ pin }).partial(), { pin: secret }],
    ["a field of a picked object", z.object({ pin, name: z.string() }).pick({ pin: true }), { pin: secret }],
    ["other fields", z.object({ name: z.string() }).catchall(pin), { name: "ada", more: secret }],
    ["items", z.array(pin), [secret, secret]],
    ["items of a tuple", z.tuple([z.int(), pin], pin), [1, secret, secret]],
    ["values of a record", z.record(z.string(), pin), { ada: secret }],
    ["a lazy schema", z.object({ pin: lazyPin }), { pin: secret }],
    ["deep inside", z.object({ a: z.array(z.object({ b: z.tuple([pin]) })) }), { a: [{ b: [secret] }] }],
    ["the optional whole", pin.optional(), secret],
    ["what goes into a pipe", z.object({ pin: pin.pipe(z.string()) }), { pin: secret }],
    [
      "what goes into a codec",
      z.object({
        pin: z.codec(pin, z.object({ raw: z.string() }), { decode: (raw) => ({ raw }), encode: ({ raw }) => raw }),
      }),
      { pin: { raw: secret } },
    ],
    ["zod mini", mini.object({ pin: mini.optional(pin) }) as unknown as z.ZodType, { pin: secret }],
  ];

  for (const [place, schema, value] of places) {
    test(`CODEC-11 ${place}: it is never in clear, comes back, and the whole keeps one fingerprint`, () => {
      const codec = withPin().forType(schema, "outer");
      const stored = codec.encode(value);
      expect(textOf(stored)).not.toContain("4929");
      expect(codec.decode(stored)).toEqual(value);
      expect(codec.decode(codec.encode(codec.decode(stored)))).toEqual(value);
      expect(codec.fingerprint(value)).toBe(codec.fingerprint(codec.decode(stored)));
      expect(codec.fingerprintsBytes).toBe(false);
      expect(codec.fingerprintKeys).toEqual([{ codecId: "aes-256-gcm(pin)", current: "k1" }]);
      if (JSON.stringify(value).includes(secret)) expect(codec.fingerprint(value)).not.toBe(sha256Hex(stored));
    });
  }

  test("CODEC-19 the fingerprint of the whole tells other values, inside and outside the encrypted part, and takes the key that is asked for", () => {
    const outer = z.object({ pin, name: z.string() });
    const codec = withPin().forType(outer, "outer");
    const value = { pin: secret, name: "ada" };
    const all = [
      codec.fingerprint(value),
      codec.fingerprint({ ...value, pin: "0000" }),
      codec.fingerprint({ ...value, name: "bob" }),
      codec.fingerprint(value, { salt: "run" }),
      codec.fingerprint(value, { keyIdOf: () => "k2" }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(refusal(() => codec.fingerprint(value, { keyIdOf: () => "k0" })).details).toMatchObject({
      keyId: "k0",
      keyMissing: true,
    });
  });

  test("CODEC-14 changed bytes of the whole are refused: another spelling of the base64, another part, a part in clear", () => {
    const codec = withPin().forType(z.object({ pin, other: z.optional(pin) }), "outer");
    const stored = textOf(codec.encode({ pin: secret }));
    const part = JSON.parse(stored).pin as string;
    const flipped = (part[20] === "A" ? "B" : "A") + part.slice(21);
    const wrong = [
      stored.replace(part, `${part}=`),
      stored.replace(part, `${part} `),
      stored.replace(part, part.slice(0, 20) + flipped),
      stored.replace(part, Buffer.from(secret).toString("base64")),
      JSON.stringify({ pin: secret }),
      JSON.stringify({ pin: 5 }),
    ];
    for (const text of wrong) {
      const error = refusal(() => codec.decode(Buffer.from(text), { key: "outer" }));
      expect(error.details.path).toBe("pin");
      expect(shownBy(error)).not.toContain("4929");
    }
  });

  test("CODEC-11 CODEC-14 a schema that makes another value of an encrypted part is told, since its bytes cannot tell", () => {
    const growing = z.object({ pin: z.codec(pin, z.string(), { decode: (raw) => `${raw}!`, encode: (raw) => raw }) });
    const codec = withPin().forType(growing, "outer");
    expect(reasonOf(() => codec.encode({ pin: secret }))).not.toContain("4929");
  });

  test("CODEC-11 what an outer schema says is kept back, and paths end where a part is encrypted", () => {
    const card = z.record(z.string(), z.string());
    const codecs = createCodecs();
    codecs.register(encrypt(json(card, { id: "card", version: "1" }), ring));
    const outer = z.object({ cards: z.array(card), name: z.string() }).refine(({ name }) => name !== "bad", {
      error: ({ input }) => JSON.stringify(input),
    });
    const codec = codecs.forType(outer, "outer");
    const cases: readonly (readonly [unknown, string])[] = [
      [{ cards: [{ [secret]: 5 }], name: "ada" }, "cards[0]"],
      [{ cards: [{ a: secret }], name: "bad" }, ""],
      [{ cards: [{ a: secret }], name: 5 }, "name"],
      [{ cards: [{ [secret]: { [secret]: (async function* () {})() } }], name: "ada" }, "cards[0]"],
    ];
    for (const [value, path] of cases) {
      const error = refusal(() => codec.encode(value, { key: "outer" }));
      expect(error.details.path).toBe(path);
      expect(error.message).toContain("kept back");
      expect(shownBy(error)).not.toContain("4929");
    }
  });

  test("CODEC-12 CODEC-11 limits are told with the figure and a path that ends at the encrypted part", () => {
    type Nest = { readonly [name: string]: Nest };
    const nest: z.ZodType<Nest> = z.lazy(() => z.record(z.string(), nest));
    const codecs = createCodecs();
    codecs.register(encrypt(codecs.forType(nest, "nest"), ring));
    const codec = codecs.forType(z.object({ nest }), "outer");
    const nested = (depth: number): Nest => {
      let value: Nest = {};
      for (let level = 1; level < depth; level++) value = { [secret]: value };
      return value;
    };
    const deepest = { nest: nested(depthMax - 1) };
    expect(codec.fingerprint(codec.decode(codec.encode(deepest)))).toBe(codec.fingerprint(deepest));
    for (const depth of [depthMax, depthMax + 1, 100_000]) {
      const error = refusal(() => codec.encode({ nest: nested(depth) }));
      expect(error.details).toMatchObject({
        path: "nest",
        reason: expect.stringContaining(`${depthMax} levels (depthMax)`),
      });
      expect(shownBy(error)).not.toContain("4929");
    }
  });

  test("CODEC-11 the places where a codec is not asked are refused when the graph is prepared, never written in clear", () => {
    const refused: readonly (readonly [string, z.ZodType])[] = [
      ["a union", z.object({ pin: z.union([pin, z.int()]) })],
      ["an intersection", z.intersection(z.object({ pin }), z.object({ name: z.string() }))],
      ["a Map", z.map(z.string(), pin)],
      ["the keys of a Map", z.map(pin, z.string())],
      ["a Set", z.set(pin)],
      ["the keys of a record", z.record(pin, z.string())],
      ["nested keys of a record", z.object({ a: z.record(pin.optional() as unknown as z.ZodString, z.string()) })],
      ["what comes out of a pipe", z.object({ pin: z.string().pipe(pin) })],
      ["what comes out of a codec", z.object({ pin: z.codec(z.string(), pin, { decode: String, encode: String }) })],
      [
        "inside of what comes out of a codec",
        z.codec(z.string(), z.object({ pin }), { decode: (raw) => ({ pin: raw }), encode: (made) => made.pin }),
      ],
      ["a template literal", z.templateLiteral(["pin:", pin])],
      ["a refined copy", z.object({ pin: pin.max(12) })],
      ["a described copy", z.object({ pin: pin.describe("secret") })],
      ["a copy of a copy", z.object({ pin: pin.max(12).meta({ title: "pin" }) })],
      ["a copy as the key's own type", pin.max(12)],
    ];
    for (const [, schema] of refused) {
      const error = refusal(() => withPin().forType(schema, "outer"));
      expect(error.message).toContain('cannot make a codec for key "outer"');
      expect(error.message).toMatch(/encrypted|codec of its own/);
    }
  });

  test("CODEC-11 a schema of another vendor that contains an encrypted one is refused, as no codec is asked there", () => {
    const standard = (parts: object): object => ({
      "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) },
      ...parts,
    });
    const inner = standard({ kind: "string" });
    const codecs = createCodecs();
    codecs.register(encrypt(structuredFor(inner), ring));
    const outer = standard({ kind: "object", entries: { pin: { wrapped: inner } } });
    expect(reasonOf(() => codecs.forType(outer as never, "outer"))).toContain("encrypt the whole");
    expect(codecs.forType(standard({ entries: { name: standard({}) } }) as never, "plain").id).toBe("standard:other");
  });

  test("CODEC-11 a codec that asks no other one is refused next to an encrypting one, in either order of registration", () => {
    const outer = z.object({ pin });
    const plain = (): Codec => json(outer, { id: "outer", version: "1" });
    for (const make of [createCodecs, createEmptyCodecs]) {
      const first = make();
      first.register(encrypt(json(pin, { id: "pin", version: "1" }), ring));
      expect(reasonOf(() => first.register(plain()))).toContain(
        'the schema of codec "outer" contains that of "aes-256-gcm(pin)"',
      );
      first.register(encrypt(plain(), ring));
      const second = make();
      second.register(plain());
      expect(reasonOf(() => second.register(encrypt(json(pin, { id: "pin", version: "1" }), ring)))).toContain(
        "in clear",
      );
    }
  });

  test("CODEC-11 what was made before a codec was registered is not used again", () => {
    const outer = z.object({ pin });
    const codecs = createCodecs();
    const before = codecs.forType(outer, "outer");
    const registered = codecs.registered;
    codecs.register(encrypt(codecs.forType(pin, "pin"), ring));
    expect(codecs.registered).toBe((registered ?? 0) + 1);
    expect(codecs.forType(outer, "outer").id).not.toBe(before.id);
    expect(textOf(codecs.forType(outer, "outer").encode({ pin: secret }))).not.toContain("4929");
  });

  test("CODEC-5 an encrypted part is part of the schema's id: with it, without it, another version", () => {
    const outer = z.object({ pin });
    const versioned = createCodecs();
    versioned.register(encrypt(json(pin, { id: "pin", version: "2" }), ring));
    const ids = [createCodecs(), withPin(), versioned].map((codecs) => codecs.forType(outer, "outer").id);
    expect(new Set(ids).size).toBe(3);
  });

  test("CODEC-1 CODEC-14 a part whose own codec varies without a key keeps one fingerprint too", () => {
    let salt = 0;
    const money = z.instanceof(Date);
    const codecs = createCodecs();
    codecs.register(
      defineCodec({
        type: money,
        id: "salted",
        version: "1",
        encode: (value) => new TextEncoder().encode(`${salt++}:${value.getTime()}`),
        decode: (bytes) => new Date(Number(textOf(bytes).split(":")[1])),
        fingerprint: (value) => String(value.getTime()),
      }),
    );
    const codec = codecs.forType(z.object({ at: money }), "outer");
    const value = { at: new Date(5) };
    expect(codec.decode(codec.encode(value))).toEqual(value);
    expect(codec.fingerprint(value)).toBe(codec.fingerprint({ at: new Date(5) }));
    expect(codec.fingerprint(value)).not.toBe(codec.fingerprint({ at: new Date(6) }));
    expect(codec.fingerprintKeys).toEqual([]);
  });
});

describe("wrapCodecs", () => {
  test("CODEC-11 every codec of the registry is wrapped, once", () => {
    const codecs = wrapCodecs(createCodecs(), (codec) => encrypt(compress(codec), ring));
    const name = key("name", stringType);
    const codec = codecs.forType(name.type, "name");
    expect(codec.id).toBe("aes-256-gcm(deflate(string))");
    expect(codecs.forType(stringType, "other")).toBe(codec);
    expect(textOf(codec.encode(secret))).not.toContain("4929");
    codecs.register(structured(undefined, { id: "mine" }));
    expect(codecs.registered).toBeGreaterThan(0);
  });

  test("CODEC-2 a wrapper of another type is refused by key", () => {
    const codecs = wrapCodecs(createCodecs(), () => structured());
    expect(refusal(() => codecs.forType(stringType, "name")).message).toContain('codec for key "name"');
  });
});

function structuredFor(schema: object): Codec {
  return { ...structured(undefined, { id: "inner" }), type: schema as Codec["type"] };
}
