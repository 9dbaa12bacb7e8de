import type { KeyType, TypeToken, ValueOfType } from "@pulse-ts/core";
import { asCodecError, codecError, messageOf, type CodecAction } from "./errors.ts";
import { sha256Hex } from "./fingerprint.ts";
import { valueBytesMax } from "./limits.ts";

/** What a codec may say in its errors. */
export interface CodecContext {
  /** The name of the key whose value this is. */
  readonly key?: string;
}

/** What a fingerprint is made with, where a key is needed for it (CODEC-19). */
export interface FingerprintContext extends CodecContext {
  /**
   * The id of the key that an encrypting codec, named by its id, makes fingerprints with.
   * Default, and for `undefined`: its current key.
   */
  readonly keyIdOf?: (codecId: string) => string | undefined;
  /**
   * Whom the fingerprint is for, a run perhaps: equal values have unlike fingerprints under unlike salts, where a key is
   * part of them. Ignored elsewhere. Default: empty.
   */
  readonly salt?: string;
}

/** An encrypting codec that takes part in a fingerprint, and the key that it uses unless told otherwise (CODEC-19). */
export interface FingerprintKey {
  readonly codecId: string;
  readonly current: string;
}

/**
 * Turns values of one type into bytes and back (CODEC-1). All its methods are synchronous and pure:
 * they change nothing, and equal values have the same bytes. Any number of callers may use one codec.
 */
export interface Codec<Value = unknown> {
  /** The type token or schema object of the keys this codec serves; compared by identity (CODEC-2). */
  readonly type: KeyType;
  /** Names the format in the run record. Another format must have another id or version. */
  readonly id: string;
  readonly version: string;
  /** @throws PULSE_CODEC by key and path, when the value could not come back equal (CODEC-7). */
  encode(value: Value, at?: CodecContext): Uint8Array;
  /** A new value each time. @throws PULSE_CODEC for bytes that `encode` cannot have written (CODEC-14). */
  decode(bytes: Uint8Array, at?: CodecContext): Value;
  /** Tells equal values from others: by default SHA-256 of the bytes, in hexadecimal. */
  fingerprint(value: Value, at?: FingerprintContext): string;
  /** True when the fingerprint is SHA-256 of the bytes: who has these need not encode again (CODEC-13). */
  readonly fingerprintsBytes?: boolean;
  /**
   * Every encrypting codec that has a part in this one's fingerprints, by id; empty or absent when nothing of it is
   * encrypted. Whoever keeps fingerprints keeps the ids of these keys with them (CODEC-19).
   */
  readonly fingerprintKeys?: readonly FingerprintKey[];
  /** True when every decoded value is immutable (a string, a number, …), so that readers may share one (CODEC-13). */
  readonly immutable?: boolean;
  /**
   * True when `encode` gives memory that nothing else refers to, and `decode` neither keeps nor changes the bytes it is
   * given: then nobody needs to copy them.
   */
  readonly ownMemory?: boolean;
}

/** A codec without what {@link defineCodec} adds. */
export interface CodecDefinition<Type extends KeyType, Value = ValueOfType<Type>> {
  readonly type: Type;
  readonly id: string;
  readonly version: string;
  readonly encode: (value: Value, at: CodecContext) => Uint8Array;
  readonly decode: (bytes: Uint8Array, at: CodecContext) => Value;
  /** Default: SHA-256 of the bytes. Give one where the bytes differ for equal values. */
  readonly fingerprint?: (value: Value, at: FingerprintContext) => string;
  /** Of a codec that contains encrypting ones: theirs (CODEC-19). Default: none. */
  readonly fingerprintKeys?: readonly FingerprintKey[];
  /** Default: false, every reader gets a decoded value of its own. */
  readonly immutable?: boolean;
  /** Default: false, bytes are copied before they are kept and before they are decoded. See {@link Codec.ownMemory}. */
  readonly ownMemory?: boolean;
}

/**
 * Makes a codec of two functions. What they throw becomes a `PULSE_CODEC` error with the key's name,
 * and their results are checked: bytes must be a `Uint8Array` within `valueBytesMax` (CODEC-12), and nothing may be
 * a promise (CODEC-1).
 * @throws PULSE_CODEC when the id or the version is empty, or a function is missing (CODEC-2).
 */
export function defineCodec<Type extends KeyType, Value = ValueOfType<Type>>(
  definition: CodecDefinition<Type, NoInfer<Value>>,
): Codec<NoInfer<Value>> {
  checkIdentity(definition);
  const encode = (value: Value, at: CodecContext = {}): Uint8Array => {
    const bytes = guard("encode", at, () => definition.encode(value, at));
    if (!(bytes instanceof Uint8Array)) throw refuse("encode", at, "its codec did not return a Uint8Array");
    checkSize("encode", at, bytes);
    return bytes;
  };
  const decode = (bytes: Uint8Array, at: CodecContext = {}): Value => {
    if (!(bytes instanceof Uint8Array)) throw refuse("decode", at, "these are no bytes: a Uint8Array was expected");
    checkSize("decode", at, bytes);
    const value = guard("decode", at, () => definition.decode(bytes, at));
    if (value instanceof Promise) {
      value.catch(() => {});
      throw refuse("decode", at, "its codec answered with a promise; a codec answers at once");
    }
    return value;
  };
  const given = definition.fingerprint;
  const fingerprint = (value: Value, at: FingerprintContext = {}): string => {
    if (given === undefined) return sha256Hex(encode(value, at));
    const text: unknown = guard("encode", at, () => given.call(definition, value, at));
    if (typeof text !== "string") throw refuse("encode", at, "its codec gave a fingerprint that is no text");
    return text;
  };
  const { type, id, version, fingerprintKeys = [], immutable = false, ownMemory = false } = definition;
  const codec = Object.freeze({
    type,
    id,
    version,
    encode,
    decode,
    fingerprint,
    fingerprintsBytes: given === undefined,
    fingerprintKeys,
    immutable,
    ownMemory,
  });
  guarded.add(codec);
  return codec;
}

/** True for a codec of which at least a part is encrypted (CODEC-11). */
export function isEncrypting(codec: Pick<Codec, "fingerprintKeys">): boolean {
  return (codec.fingerprintKeys?.length ?? 0) > 0;
}

/** Codecs whose results are checked already. */
const guarded = new WeakSet<object>();

/** The codec itself, or, of one that somebody wrote by hand, the same with its results checked. @throws as {@link defineCodec} */
export function guardedCodec<Value>(codec: Codec<Value>): Codec<Value> {
  if (typeof codec === "object" && codec !== null && guarded.has(codec)) return codec;
  checkIdentity(codec);
  const { type, id, version, fingerprintKeys = [], immutable = false, ownMemory = false } = codec;
  return defineCodec<KeyType, Value>({
    type,
    id,
    version,
    fingerprintKeys,
    immutable,
    ownMemory,
    encode: (value, at) => codec.encode(value, at),
    decode: (bytes, at) => codec.decode(bytes, at),
    ...(codec.fingerprintsBytes === true || typeof codec.fingerprint !== "function"
      ? {}
      : { fingerprint: (value: Value, at: FingerprintContext) => codec.fingerprint(value, at) }),
  });
}

/** Refuses a codec without a type, an id, a version or one of its two functions (CODEC-2). */
export function checkIdentity(
  codec: Pick<Codec, "type" | "id" | "version"> & { readonly encode: unknown; readonly decode: unknown },
): void {
  if (typeof codec !== "object" || codec === null) throw prepareError("this is no codec; make one with defineCodec");
  const { type, id, version } = codec;
  if (!isKeyType(type)) throw prepareError("a codec needs a type: the type token or schema object of its keys");
  if (typeof id !== "string" || id === "") throw prepareError("a codec needs an id that is not empty");
  if (typeof version !== "string" || version === "")
    throw prepareError(`codec "${id}" needs a version that is not empty`);
  for (const name of ["encode", "decode"] as const)
    if (typeof codec[name] !== "function") throw prepareError(`codec "${id}" needs a function ${name}`);
}

/** True for what a key can be made with. */
export function isKeyType(candidate: unknown): candidate is KeyType {
  if ((typeof candidate !== "object" && typeof candidate !== "function") || candidate === null) return false;
  return "~standard" in candidate || isTypeToken(candidate);
}

export function isTypeToken(candidate: object): candidate is TypeToken<unknown> {
  return (candidate as { readonly kind?: unknown }).kind === "type" && !("~standard" in candidate);
}

function guard<Result>(action: CodecAction, at: CodecContext, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asCodecError(error, { action, key: at.key, path: "", reason: `its codec threw: ${messageOf(error)}` });
  }
}

function checkSize(action: CodecAction, at: CodecContext, bytes: Uint8Array): void {
  if (bytes.byteLength > valueBytesMax) {
    const reason = `it has ${bytes.byteLength} bytes, and ${valueBytesMax} (valueBytesMax) are the most`;
    throw codecError({ action, key: at.key, path: "", reason, tellsNothing: true });
  }
}

function refuse(action: CodecAction, at: CodecContext, reason: string): Error {
  return codecError({ action, key: at.key, path: "", reason });
}

function prepareError(reason: string): Error {
  return codecError({ action: "prepare", key: undefined, path: "", reason });
}
