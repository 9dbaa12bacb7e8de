import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A run id as the database keeps it. */
export interface RunKey {
  readonly runId: string;
  /** UTF-16, big endian: keeps every string, and bytes order as `<` orders strings. */
  readonly bytes: Buffer;
  /** Finds the row. */
  readonly digest: Buffer;
  /** CRC-32 of `bytes`, from which those of the run's rows go on. */
  readonly checksum: number;
}

export function runKey(runId: string): RunKey {
  const bytes = orderedBytes(runId);
  return { runId, bytes, digest: hash("sha256", bytes, "buffer"), checksum: crc32(bytes) };
}

/** Any string as bytes that order as strings do, unpaired surrogates included. */
export const orderedBytes = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

/** The string again; `undefined` for bytes that are none. */
export const textOfOrdered = (bytes: Buffer): string | undefined =>
  bytes.length % 2 === 0 ? Buffer.from(bytes).swap16().toString("utf16le") : undefined;

/** The first bytes after all that begin with `prefix`; `undefined` when there are none. */
export function afterPrefix(prefix: Buffer): Buffer | undefined {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end -= 1;
  if (end === 0) return undefined;
  const after = Buffer.from(prefix.subarray(0, end));
  after[end - 1] = (after[end - 1] ?? 0) + 1;
  return after;
}
