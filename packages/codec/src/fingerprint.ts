import { hash } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits; of a string, of its UTF-8 bytes. */
export function sha256Hex(content: Uint8Array | string): string {
  // Of small contents in half the time of a hash object.
  return hash("sha256", content, "hex");
}
