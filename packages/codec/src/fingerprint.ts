import { createHash } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits; of a string, of its UTF-8 bytes. */
export function sha256Hex(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}
