import { type, type PulseError, type TypeToken } from "@pulse-ts/core";
import { defineCodec, type Codec } from "./codec.ts";
import { asCodecError, messageOf } from "./errors.ts";
import { checkOptionNames } from "./options.ts";
import { Place } from "./place.ts";
import { readStructured } from "./structured-read.ts";
import { writeStructured } from "./structured-write.ts";
import { fromQuotedUtf8, fromUtf8, toQuotedUtf8, toUtf8 } from "./utf8.ts";

/** The id and version that `structured()` has unless others are given. */
export const structuredId = "structured";
export const structuredVersion = "1";

export interface StructuredOptions {
  /** Default: `structured`. Give one of your own to register more than one such codec (CODEC-2). */
  readonly id?: string;
  /** Default: `1`. */
  readonly version?: string;
}

/**
 * The total codec for values without a schema (CODEC-6). Comes back equal, with the same types and the same identities inside: JSON data, `undefined`,
 * bigint, NaN, infinities, -0, Date, Map, Set, RegExp, URL, the language's Error classes with message, cause and own data, ArrayBuffer,
 * typed arrays, DataView, Buffer, sparse arrays, null prototypes, shared references and cycles.
 *
 * Bytes are canonical: objects that differ only in the order of their keys are equal and have equal bytes, and come back with sorted keys.
 * The order of a Map or a Set is part of its value. Not kept: an error's stack, whether an object was frozen, memory around a view.
 * @throws PULSE_CODEC by key and path for what cannot come back equal (CODEC-7, CODEC-10), and beyond the limits (CODEC-12).
 */
export function structured<Value = unknown>(
  token: TypeToken<Value> = type<Value>("structured"),
  options: StructuredOptions = {},
): Codec<Value> {
  checkOptionNames<StructuredOptions>("structured()", options, { id: true, version: true });
  const { id = structuredId, version = structuredVersion } = options;
  return defineCodec<TypeToken<Value>, Value>({
    type: token,
    id,
    version,
    encode: (value, at) => encodeStructured(value, at.key),
    // The cast holds as far as the type token's promise does: what was encoded was a Value.
    decode: (bytes, at) => decodeStructured(bytes, at.key) as Value,
    ownMemory: true,
  });
}

/** The bytes of a value, as `structured()` writes them. */
export function encodeStructured(value: unknown, key: string | undefined): Uint8Array {
  // Texts are often long, and most need no escape: their bytes are made at once.
  const quick = typeof value === "string" ? toQuotedUtf8(value) : undefined;
  if (quick !== undefined) return quick;
  const place = new Place("encode", key);
  try {
    return toUtf8(writeStructured(value, place), place);
  } catch (error) {
    throw readingFailed(error, place);
  }
}

/** The value of such bytes; proves them canonical by writing the value again (CODEC-14). */
export function decodeStructured(bytes: Uint8Array, key: string | undefined): unknown {
  const quick = bytes instanceof Uint8Array ? fromQuotedUtf8(bytes) : undefined;
  if (quick !== undefined) return quick;
  const place = new Place("decode", key);
  try {
    const text = fromUtf8(bytes, place);
    const value = readStructured(JSON.parse(text), place);
    if (writeStructured(value, new Place("decode", key)) !== text) {
      place.refuse("the bytes are not canonical: encoding could not have written them");
    }
    return value;
  } catch (error) {
    throw readingFailed(error, place);
  }
}

/** Whatever a value threw while it was looked at (a proxy's trap, a full stack), as an error that names the place (CODEC-7). */
export function readingFailed(error: unknown, place: Place): PulseError<"PULSE_CODEC"> {
  const reason = `${place.action === "encode" ? "reading it" : "building it"} failed: ${messageOf(error)}`;
  return asCodecError(error, { action: place.action, key: place.key, path: place.path, reason });
}
