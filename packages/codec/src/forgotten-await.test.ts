import { randomBytes } from "node:crypto";
import { type } from "@pulse-ts/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { bytesType, createCodecs, encrypt, numberType, structured, type Codec } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

const codecs = createCodecs();
const late = Promise.resolve("late");
const hint = "it is a promise: was `await` forgotten?";

/** A schema of another vendor, which takes texts under `name` only. */
const otherVendor = {
  "~standard": {
    version: 1 as const,
    vendor: "other",
    validate: (value: unknown) =>
      typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
        ? { value }
        : { issues: [{ message: "no text", path: ["name"] }] },
  },
};

describe("a promise where a value was expected", () => {
  const wrong: Readonly<Record<string, readonly [Codec, unknown, string]>> = {
    "structured()": [structured(), late, ""],
    "a field of structured()": [structured(), { page: [late] }, "page[0]"],
    "a plain type": [codecs.forType(type<string>("text"), "page"), late, ""],
    "a scalar": [codecs.forType(numberType, "page"), late, ""],
    bytes: [codecs.forType(bytesType, "page"), late, ""],
    "z.string()": [codecs.forType(z.string(), "page"), late, ""],
    "z.object()": [codecs.forType(z.object({ name: z.string() }), "page"), late, ""],
    "a field": [codecs.forType(z.object({ name: z.string() }), "page"), { name: late }, "name"],
    "a field after another that is wrong": [
      codecs.forType(z.object({ count: z.number(), name: z.string() }), "page"),
      { count: "1", name: late },
      "name",
    ],
    "an object in a field": [
      codecs.forType(z.object({ owner: z.object({ name: z.string() }) }), "page"),
      { owner: late },
      "owner",
    ],
    "an item": [codecs.forType(z.array(z.number()), "page"), [1, late], "[1]"],
    "a value of a Map": [codecs.forType(z.map(z.string(), z.number()), "page"), new Map([["a", late]]), "a"],
    "z.record()": [codecs.forType(z.record(z.string(), z.number()), "page"), { a: late }, "a"],
    "z.any()": [codecs.forType(z.object({ name: z.any() }), "page"), { name: late }, "name"],
    "z.unknown()": [codecs.forType(z.unknown(), "page"), late, ""],
    "z.date()": [codecs.forType(z.date(), "page"), late, ""],
    "a union": [codecs.forType(z.union([z.string(), z.number()]), "page"), late, ""],
    "inside a union": [
      codecs.forType(z.union([z.object({ name: z.string() }), z.number()]), "page"),
      { name: late },
      "name",
    ],
    "an optional field": [codecs.forType(z.object({ name: z.string().optional() }), "page"), { name: late }, "name"],
    "a schema of another vendor": [codecs.forType(otherVendor, "page"), late, ""],
    "a field of one": [codecs.forType(otherVendor, "page"), { name: late }, "name"],
  };

  for (const [name, [codec, value, path]] of Object.entries(wrong)) {
    test(`CODEC-7 ${name}: the error asks for the await`, () => {
      const error = refusal(() => codec.encode(value, { key: "page" }));
      expect(error.message.endsWith(hint)).toBe(true);
      expect(error.details).toMatchObject({ key: "page", path, reason: hint });
    });
  }

  test("CODEC-11 of an encrypted value it is told too, without the place inside", () => {
    const card = z.object({ pin: z.string() });
    const encrypted = encrypt(createCodecs().forType(card, "card"), { keys: { k1: randomBytes(32) } });
    const inside = createCodecs();
    inside.register(encrypted as Codec);
    const order = inside.forType(z.object({ card }), "order");
    for (const [codec, value, path] of [
      [encrypted, late, ""],
      [encrypted, { pin: late }, ""],
      [order, { card: late }, "card"],
      [order, { card: { pin: late } }, "card"],
    ] as const) {
      const error = refusal(() => (codec as Codec).encode(value, { key: "order" }));
      expect(error.message).toMatch(new RegExp(`${hint.replace("?", "\\?")}$`));
      expect(error.details.path).toBe(path);
    }
  });

  test("CODEC-14 a promise in a field that the schema drops is dropped with it", () => {
    const codec: Codec = codecs.forType(z.object({ name: z.string() }), "page");
    expect(codec.decode(codec.encode({ name: "a", extra: late }))).toEqual({ name: "a" });
  });
});
