import { crc32 } from "node:zlib";

/** Checksums of rows, CRC-32 as of zlib: they tell damage, and are no signature. */

export interface SummedEntry {
  readonly key: unknown;
  readonly text: unknown;
  readonly cuts: unknown;
  readonly bytes: unknown;
}

/** Of an entry and of where it belongs: a row that stands in another's place is told too. */
export function entrySum(run: number, place: number, { key, text, cuts, bytes }: SummedEntry): number {
  const head = crc32(`${run} ${place} ${String(key)} ${String(cuts)} ${bytes === null ? 0 : 1} ${String(text)}`);
  // zlib gives 0 for bytes that are nowhere, as those of an empty array may be.
  return bytes instanceof Uint8Array && bytes.length > 0 ? crc32(bytes, head) : head;
}

export interface SummedRun {
  readonly id: unknown;
  readonly revision: unknown;
  readonly status: unknown;
  readonly version: unknown;
  readonly resumes: unknown;
  readonly entries: unknown;
}

export const runSum = ({ id, revision, status, version, resumes, entries }: SummedRun): number =>
  crc32(JSON.stringify([id, revision, status, version, resumes, entries]));
