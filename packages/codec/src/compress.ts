import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { defineCodec, guardedCodec, type Codec } from "./codec.ts";
import { codecError } from "./errors.ts";
import { valueBytesMax } from "./limits.ts";
import { checkOptionNames } from "./options.ts";

export interface CompressOptions {
  /** 1 to 9: more is slower and smaller. Default: {@link compressLevel}. Values of any level can be read. */
  readonly level?: number;
  /** Values of fewer bytes are stored as they are. Default: {@link compressBytesMin}. */
  readonly bytesMin?: number;
}

/** The default level: zlib's own. */
export const compressLevel = 6;

/** The default size from which values are compressed: below, little is won. */
export const compressBytesMin = 256;

/**
 * Compresses the bytes of any codec (deflate) where that makes them smaller (CODEC-11): `codecs.register(compress(json(page,
 * { id, version })))`. Its id is `deflate(<id inside>)`. To encrypt as well, compress first: `encrypt(compress(codec), ring)`.
 *
 * The fingerprint is the inner codec's: another version of zlib may compress the same bytes to others. Nothing is inflated
 * beyond the size that the bytes announce, and none that announce more than `valueBytesMax` (CODEC-12).
 * @throws PULSE_CODEC at once for options out of range; later by key, for bytes that `compress` does not write.
 */
export function compress<Value>(inner: Codec<Value>, options: CompressOptions = {}): Codec<Value> {
  const codec = guardedCodec(inner);
  checkOptionNames<CompressOptions>("compress()", options, { level: true, bytesMin: true });
  const { level = compressLevel, bytesMin = compressBytesMin } = options;
  if (!Number.isInteger(level) || level < 1 || level > 9) throw refuseOption("level is a whole number from 1 to 9");
  if (!(bytesMin >= 0)) throw refuseOption("bytesMin is a number of bytes");
  const { type, id, version, immutable = false, fingerprintKeys = [] } = codec;
  return defineCodec<typeof type, Value>({
    type,
    id: `deflate(${id})`,
    version,
    immutable,
    fingerprintKeys,
    encode: (value, at) => shrink(codec.encode(value, at), level, bytesMin),
    decode: (bytes, at) => codec.decode(expand(bytes, at.key), at),
    fingerprint: (value, at) => codec.fingerprint(value, at),
  });
}

/** The first byte of what is stored. */
const asItIs = 0;
const deflated = 1;
/** After the marker of what is deflated: the size of what comes out, a 32-bit number, little end first. */
const headBytes = 5;

/** No deflated byte stands for more, so a size beyond cannot be true. */
const inflationMax = 1032;

function shrink(bytes: Uint8Array, level: number, bytesMin: number): Uint8Array {
  if (bytes.byteLength >= bytesMin) {
    // Everything that shapes the result is said, so that defaults of another version of Node change nothing.
    const body = deflateRawSync(bytes, { level, memLevel: 8, windowBits: 15, strategy: constants.Z_DEFAULT_STRATEGY });
    if (headBytes + body.byteLength < 1 + bytes.byteLength) {
      const stored = new Uint8Array(headBytes + body.byteLength);
      stored[0] = deflated;
      new DataView(stored.buffer).setUint32(1, bytes.byteLength, true);
      stored.set(body, headBytes);
      return stored;
    }
  }
  const stored = new Uint8Array(1 + bytes.byteLength);
  stored[0] = asItIs;
  stored.set(bytes, 1);
  return stored;
}

function expand(stored: Uint8Array, key: string | undefined): Uint8Array {
  const refuse = (reason: string): never => {
    throw codecError({ action: "decode", key, path: "", reason, tellsNothing: true });
  };
  // A copy each time: a codec may hand out the very bytes that it was given.
  if (stored[0] === asItIs) return new Uint8Array(stored.subarray(1));
  if (stored[0] !== deflated || stored.byteLength < headBytes)
    return refuse("these are no bytes that compress() writes: they were never compressed, or were changed or cut");
  const size = new DataView(stored.buffer, stored.byteOffset).getUint32(1, true);
  if (size > valueBytesMax)
    return refuse(`it has ${size} bytes when inflated, and ${valueBytesMax} (valueBytesMax) are the most`);
  const body = stored.subarray(headBytes);
  if (size < stored.byteLength) return refuse("it would be stored as it is: compressing made it no smaller");
  if (size > body.byteLength * inflationMax) return refuse(`${body.byteLength} bytes cannot inflate to ${size}`);
  const inflated = inflate(body, size);
  return (
    inflated ?? refuse(`it does not inflate to the ${size} bytes that it announces: its bytes were changed or cut`)
  );
}

/** Memory is taken in pieces of so many bytes: few pieces for big values, little waste for small ones. */
const chunkBytesMin = 1_024;
const chunkBytesMax = 1_048_576;

/** Exactly so many bytes out of all of `body`, or nothing. */
function inflate(body: Uint8Array, size: number): Uint8Array | undefined {
  try {
    const chunkSize = Math.min(Math.max(size, chunkBytesMin), chunkBytesMax);
    const answer: unknown = inflateRawSync(body, { maxOutputLength: size, chunkSize, info: true });
    const { buffer, engine } = answer as {
      readonly buffer: Uint8Array;
      readonly engine: { readonly bytesWritten: number };
    };
    if (buffer.byteLength !== size || engine.bytesWritten !== body.byteLength) return undefined;
    return new Uint8Array(buffer);
  } catch {
    // Invalid or too long: zlib's words say no more.
    return undefined;
  }
}

function refuseOption(reason: string): Error {
  return codecError({ action: "prepare", key: undefined, path: "", reason: `compress(): ${reason}` });
}
