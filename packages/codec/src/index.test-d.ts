import { isPulseError, type, type StandardSchema } from "@pulse-ts/core";
import { expectTypeOf, test } from "vitest";
import * as z from "zod";
import {
  compress,
  createCodecs,
  defineCodec,
  encrypt,
  json,
  keyRing,
  structured,
  wrapCodecs,
  type Codec,
  type CodecDetails,
  type Codecs,
  type ConflictDetails,
} from "./index.ts";

test("CODEC-4 a zod schema's codec takes and gives the schema's output", () => {
  const at = z.codec(z.string(), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() });
  expectTypeOf(json(z.object({ at }), { id: "a", version: "1" })).toEqualTypeOf<Codec<{ at: Date }>>();
  // @ts-expect-error an id and a version must be given
  json(z.string(), {});
});

test("CODEC-6 structured() takes the type of its token", () => {
  expectTypeOf(structured(type<Map<string, Date>>())).toEqualTypeOf<Codec<Map<string, Date>>>();
  expectTypeOf(structured()).toEqualTypeOf<Codec>();
});

test("CODEC-1 defineCodec infers the value from the type", () => {
  const codec = defineCodec({
    type: type<bigint>(),
    id: "a",
    version: "1",
    encode: (value) => {
      expectTypeOf(value).toEqualTypeOf<bigint>();
      return new Uint8Array();
    },
    decode: () => 1n,
  });
  expectTypeOf(codec).toEqualTypeOf<Codec<bigint>>();
  // @ts-expect-error decode must give what the type holds
  defineCodec({ type: type<bigint>(), id: "a", version: "1", encode: () => new Uint8Array(), decode: () => 1 });
});

test("CODEC-1 defineCodec infers the value also where any codec is asked for", () => {
  const schema = z.instanceof(Map);
  createCodecs().register(
    defineCodec({
      type: schema,
      id: "a",
      version: "1",
      encode: (value) => new Uint8Array(value.size),
      decode: () => new Map(),
    }),
  );
  expectTypeOf(defineCodec<typeof schema>).returns.toEqualTypeOf<Codec<Map<unknown, unknown>>>();
});

test("CODEC-2 any codec can be registered, any type be asked for", () => {
  const codecs = createCodecs();
  codecs.register(structured(type<Date>(), { id: "d" }));
  expectTypeOf(codecs.forType(type<string>(), "k")).toEqualTypeOf<Codec>();
  expectTypeOf(codecs.forType({} as StandardSchema<string, number>, "k")).toEqualTypeOf<Codec>();
});

test("CODEC-7 the error codes narrow their details", () => {
  const ofCodec = (error: unknown) => (isPulseError(error, "PULSE_CODEC") ? error.details : undefined);
  const ofConflict = (error: unknown) => (isPulseError(error, "PULSE_CONFLICT") ? error.details : undefined);
  expectTypeOf(ofCodec).returns.toEqualTypeOf<CodecDetails | undefined>();
  expectTypeOf(ofConflict).returns.toEqualTypeOf<ConflictDetails | undefined>();
});

test("CODEC-11 wrapper codecs keep the type of the value", () => {
  const card = json(z.object({ number: z.string() }), { id: "card", version: "1" });
  expectTypeOf(encrypt(card, { keys: { k1: "" } })).toEqualTypeOf<Codec<{ number: string }>>();
  expectTypeOf(compress(card, { level: 9 })).toEqualTypeOf<Codec<{ number: string }>>();
  expectTypeOf(encrypt(compress(card), keyRing({ keys: {} }))).toEqualTypeOf<Codec<{ number: string }>>();
  // @ts-expect-error a ring has keys
  encrypt(card, { current: "k1" });
  // @ts-expect-error a key is no number
  keyRing({ keys: { k1: 1 } });
  expectTypeOf(wrapCodecs(createCodecs(), (codec) => compress(codec))).toEqualTypeOf<Codecs>();
});
