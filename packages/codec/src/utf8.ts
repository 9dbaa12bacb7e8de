import { Buffer, isUtf8 } from "node:buffer";
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
  // Not from Node's shared pool: a reader of these bytes must not reach other values through `.buffer`.
  const bytes = new Uint8Array(size);
  Buffer.from(bytes.buffer).write(text, 0, size, "utf8");
  return bytes;
}

/** The text of `bytes`; refuses what is no byte array, what is too big, and invalid UTF-8 (CODEC-8, CODEC-12). */
export function fromUtf8(bytes: Uint8Array, place: Place): string {
  if (!(bytes instanceof Uint8Array)) place.refuse("these are no bytes: a Uint8Array was expected");
  if (bytes.byteLength > valueBytesMax) place.refuseSize(bytes.byteLength);
  if (!isUtf8(bytes)) place.refuse("the bytes are not valid UTF-8");
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
