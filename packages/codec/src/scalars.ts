import { type, type TypeToken } from "@pulse-ts/core";
import { defineCodec, type Codec } from "./codec.ts";
import { Place } from "./place.ts";
import { fromUtf8, isWellFormed, toUtf8 } from "./utf8.ts";
import { whatIsIt } from "./what-is-it.ts";

/** Type tokens of the scalars that {@link createCodecs} brings a codec for: `key("count", numberType)` (CODEC-3). */
export const stringType: TypeToken<string> = type<string>("string");
export const numberType: TypeToken<number> = type<number>("number");
export const booleanType: TypeToken<boolean> = type<boolean>("boolean");
export const bigintType: TypeToken<bigint> = type<bigint>("bigint");
/** Any byte array goes in, a `Buffer` too; a plain `Uint8Array` of its own memory comes out. */
export const bytesType: TypeToken<Uint8Array> = type<Uint8Array>("bytes");
export const nullType: TypeToken<null> = type<null>("null");
/** Invalid dates too. */
export const dateType: TypeToken<Date> = type<Date>("Date");
export const urlType: TypeToken<URL> = type<URL>("URL");

/** A scalar as a text, and back; the text must be the only one for its value. */
interface ScalarText<Value> {
  readonly type: TypeToken<Value>;
  readonly id: string;
  readonly is: (value: unknown) => boolean;
  readonly write: (value: Value) => string;
  readonly read: (text: string) => Value;
  readonly immutable?: boolean;
}

/** Writes a scalar as UTF-8 text. Reading refuses every text but the one that writing gives. */
function scalar<Value>(definition: ScalarText<Value>): Codec<Value> {
  const { type: token, id, is, write, read, immutable = true } = definition;
  return defineCodec<TypeToken<Value>, Value>({
    type: token,
    id,
    version: "1",
    immutable,
    ownMemory: true,
    encode: (value, at) => {
      const place = new Place("encode", at.key);
      if (!is(value)) {
        place.refusePromise(value);
        place.refuse(`a ${token.name} was expected, and ${whatIsIt(value)} was found`);
      }
      const text = write(value);
      if (!isWellFormed(text)) place.refuse("the string has a lone surrogate, which UTF-8 cannot hold");
      return toUtf8(text, place);
    },
    decode: (bytes, at) => {
      const place = new Place("decode", at.key);
      const text = fromUtf8(bytes, place);
      const value = read(text);
      if (!is(value) || write(value) !== text)
        place.refuse(`the bytes are no ${token.name} that encoding could have written`);
      return value;
    },
  });
}

const isExactly = (value: unknown, prototype: object): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.getPrototypeOf(value) === prototype &&
  Reflect.ownKeys(value).length === 0;

const bytes = defineCodec<TypeToken<Uint8Array>, Uint8Array>({
  type: bytesType,
  id: "bytes",
  version: "1",
  encode: (value, at) => {
    if (!(value instanceof Uint8Array)) {
      const place = new Place("encode", at.key);
      place.refusePromise(value);
      place.refuse(`a Uint8Array was expected, and ${whatIsIt(value)} was found`);
    }
    return new Uint8Array(value);
  },
  decode: (stored) => new Uint8Array(stored),
  ownMemory: true,
});

/** One codec for each scalar type token (CODEC-3). */
export const scalarCodecs: readonly Codec[] = [
  scalar({
    type: stringType,
    id: "string",
    is: (value) => typeof value === "string",
    write: (value) => value,
    read: (text) => text,
  }),
  scalar({
    type: numberType,
    id: "number",
    is: (value) => typeof value === "number",
    // Total: NaN and the infinities are written by their names.
    write: (value) => (Object.is(value, -0) ? "-0" : String(value)),
    read: Number,
  }),
  scalar({
    type: booleanType,
    id: "boolean",
    is: (value) => typeof value === "boolean",
    write: String,
    read: (text) => text === "true",
  }),
  scalar({
    type: bigintType,
    id: "bigint",
    is: (value) => typeof value === "bigint",
    write: String,
    read: BigInt,
  }),
  scalar({ type: nullType, id: "null", is: (value) => value === null, write: String, read: () => null }),
  scalar({
    type: dateType,
    id: "Date",
    is: (value) => isExactly(value, Date.prototype),
    write: (value) => String(Date.prototype.getTime.call(value)),
    read: (text) => new Date(Number(text)),
    immutable: false,
  }),
  scalar({
    type: urlType,
    id: "URL",
    is: (value) => isExactly(value, URL.prototype),
    write: (value) => value.href,
    read: (text) => new URL(text),
    immutable: false,
  }),
  bytes,
];
