import { Buffer, isAscii, isUtf8 } from "node:buffer";
import { valueBytesMax } from "./limits.ts";
import type { Place } from "./place.ts";

/** False for a string with half of a surrogate pair, which UTF-8 cannot hold. */
export function isWellFormed(text: string): boolean {
  // Node 20 has it; the type library of ES2023 does not name it yet.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

/** The bytes of a text that is known to be well-formed, as an array of their own. */
export function toUtf8(text: string, place: Place): Uint8Array {
  const size = Buffer.byteLength(text, "utf8");
  if (size > valueBytesMax) place.refuseSize(size);
  const bytes = ownBytes(size);
  write(text, bytes, 0, size);
  return new Uint8Array(bytes.buffer);
}

/**
 * The bytes of a string as JSON writes it, where that is the string itself between quotes: so no text of it need be made.
 * `undefined` for a string that has something to escape, that is not well-formed or that is too big.
 */
export function toQuotedUtf8(text: string): Uint8Array | undefined {
  if (mustEscape.test(text) || !isWellFormed(text)) return undefined;
  const size = Buffer.byteLength(text, "utf8");
  if (size + 2 > valueBytesMax) return undefined;
  const bytes = ownBytes(size + 2);
  bytes[0] = quote;
  write(text, bytes, 1, size);
  bytes[size + 1] = quote;
  return new Uint8Array(bytes.buffer);
}

/** The string of such bytes; `undefined` for all others, and for what `fromUtf8` refuses. */
export function fromQuotedUtf8(bytes: Uint8Array): string | undefined {
  const last = bytes.byteLength - 1;
  if (last < 1 || last >= valueBytesMax || bytes[0] !== quote || bytes[last] !== quote) return undefined;
  const inner = bytes.subarray(1, last);
  const text = isUtf8(inner) ? textOf(inner) : undefined;
  return text === undefined || mustEscape.test(text) ? undefined : text;
}

/** What JSON does not write as it is, in a string that is well-formed. */
export const mustEscape: RegExp = /["\\\u0000-\u001f]/;

const quote = 0x22;

/** The text of `bytes`; refuses what is no byte array, what is too big, and invalid UTF-8 (CODEC-8, CODEC-12). */
export function fromUtf8(bytes: Uint8Array, place: Place): string {
  if (!(bytes instanceof Uint8Array)) place.refuse("these are no bytes: a Uint8Array was expected");
  if (bytes.byteLength > valueBytesMax) place.refuseSize(bytes.byteLength);
  if (!isUtf8(bytes)) place.refuse("the bytes are not valid UTF-8");
  return textOf(bytes);
}

/** Not from Node's shared pool: a reader of these bytes must not reach other values through `.buffer`. */
const ownBytes = (size: number): Buffer<ArrayBuffer> => Buffer.allocUnsafeSlow(size);

/** A text of so many characters as bytes is ASCII, and is copied; any other is converted. */
function write(text: string, bytes: Buffer, at: number, size: number): void {
  bytes.write(text, at, size, size === text.length ? "latin1" : "utf8");
}

function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString(isAscii(bytes) ? "latin1" : "utf8");
}
