import { type } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { createCodecs, defineCodec, type Codec, type CodecDefinition } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

const token = type<number>("token");
const definition = {
  type: token,
  id: "token",
  version: "1",
  encode: (value: number) => Uint8Array.of(value),
  decode: (bytes: Uint8Array) => bytes[0] ?? 0,
} satisfies CodecDefinition<typeof token>;

/** A codec that breaks its word in one way, as who has no types can write it. */
const wrong = (part: object): Codec => ({ ...definition, ...part }) as unknown as Codec;
const answering =
  <Value>(value: Value) =>
  (): Value =>
    value;

test("CODEC-1 what a codec answers is checked: bytes, no promise, a fingerprint that is a text", () => {
  const made = (part: object): Codec => defineCodec(wrong(part) as CodecDefinition<typeof token>) as Codec;
  for (const bytes of ["text", undefined, 5, [1], Promise.resolve(Uint8Array.of(1))]) {
    const refused = refusal(() => made({ encode: answering(bytes) }).encode(1, { key: "count" }));
    expect(refused.details).toMatchObject({ key: "count", reason: "its codec did not return a Uint8Array" });
  }
  const late = made({ decode: () => Promise.reject(new Error("late")) });
  expect(refusal(() => late.decode(Uint8Array.of(1), { key: "count" })).details.reason).toContain("promise");
  for (const text of [5, undefined, Promise.resolve("text")]) {
    const refused = refusal(() => made({ fingerprint: answering(text) }).fingerprint(1, { key: "count" }));
    expect(refused.details.reason).toContain("no text");
  }
});

test("CODEC-2 a codec that was written by hand is registered with the same checks, and one without functions is not", () => {
  const codecs = createCodecs();
  const thrown = new Error("odd");
  codecs.register(
    wrong({
      encode: () => {
        throw thrown;
      },
    }),
  );
  const refused = refusal(() => codecs.forType(token, "count").encode(1, { key: "count" }));
  expect([refused.cause, refused.details.key]).toEqual([thrown, "count"]);
  for (const part of [{ encode: undefined }, { decode: "no" }]) {
    expect(refusal(() => createCodecs().register(wrong(part))).message).toMatch(
      /codec "token" needs a function (en|de)code/,
    );
  }
  expect(refusal(() => createCodecs().register(undefined as never)).message).toContain("defineCodec");
});

test("CODEC-1 CODEC-2 a class of codecs keeps its own state and fingerprint, and a defined codec is registered as it is", () => {
  class Salted {
    readonly type = token;
    readonly id = "salted";
    readonly version = "1";
    readonly salt = "pepper";
    encode(value: number): Uint8Array {
      return Uint8Array.of(value, this.salt.length);
    }
    decode(bytes: Uint8Array): number {
      return (bytes[0] ?? 0) + this.salt.length - (bytes[1] ?? 0);
    }
    fingerprint(value: number): string {
      return `${this.salt}${value}`;
    }
  }
  const codecs = createCodecs();
  codecs.register(new Salted() as Codec);
  const codec = codecs.forType(token, "count");
  expect(codec.decode(codec.encode(7))).toBe(7);
  expect([codec.fingerprint(7), codec.fingerprintsBytes]).toEqual(["pepper7", false]);
  const defined = defineCodec(definition);
  const others = createCodecs();
  others.register(defined as Codec);
  expect(others.forType(token, "count")).toBe(defined);
});
