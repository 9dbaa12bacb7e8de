import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { headerKey, packEntry, recordBuilder, unpackEntry } from "@pulse-ts/durable";
import type { Header, RecordEntry, RunRecord } from "@pulse-ts/durable";
import { corrupt } from "@pulse-ts/durable/define-store";
import type { RunKey } from "./run-key.ts";

/** The rows of a run and what they stand for: pure, without a database. */

/** A row of `entries` as it is written. */
export interface EntryRow {
  readonly keyDigest: Buffer;
  readonly key: Buffer;
  readonly text: Buffer;
  readonly bytes: Buffer | null;
  readonly checksum: number;
}

/** @throws PULSE_USAGE for an entry that cannot be written */
export function entryRow(run: RunKey, revision: number, key: string, entry: RecordEntry): EntryRow {
  const packed = packEntry(key, entry);
  const keyBytes = Buffer.from(key);
  const text = Buffer.from(packed.text);
  const bytes = packed.bytes.length === 0 ? null : joined(packed.bytes);
  return {
    keyDigest: keyDigest(keyBytes),
    key: keyBytes,
    text,
    bytes,
    checksum: entryChecksum(run, { key: keyBytes, revision, text, bytes }),
  };
}

/** 16 bytes that tell a key from every other, whatever its length. */
export const keyDigest = (key: Uint8Array): Buffer => hash("sha256", key, "buffer").subarray(0, keyDigestBytes);
const keyDigestBytes = 16;

/** A row of `entries` as it is read, beside the run's revision. */
export interface FoundEntry {
  readonly key: Buffer;
  readonly revision: number;
  readonly checksum: number;
  readonly text: Buffer;
  readonly bytes: Buffer | null;
}

function entryChecksum(run: RunKey, row: Omit<FoundEntry, "checksum">): number {
  const { key, revision, text, bytes } = row;
  const lengths = Buffer.from(`/${key.length}/${revision}/${text.length}/${bytes?.length ?? ""}/`);
  let sum = crc32(text, crc32(key, crc32(lengths, run.checksum)));
  if (bytes !== null) sum = crc32(bytes, sum);
  return sum | 0;
}

/** What a run's own row says beside who owns it. */
export interface RunRow {
  readonly revision: number;
  readonly status: string;
  readonly version: string;
  readonly resumes: number;
}

export const runRowOf = ({ revision, status, version, resumes }: Header): RunRow => ({
  revision,
  status,
  version,
  resumes,
});

export function runChecksum(run: RunKey, { revision, status, version, resumes }: RunRow): number {
  return crc32(JSON.stringify([revision, status, version, resumes]), run.checksum) | 0;
}

/** What was found of a run. */
export interface FoundRun extends RunRow {
  readonly checksum: number;
}

/**
 * The record, sharing nothing with anybody. `table` is the name of `entries` with its schema, for messages.
 * @throws PULSE_CORRUPT naming the row, PULSE_NEWER_FORMAT
 */
export function recordOf(
  run: RunKey,
  found: FoundRun,
  entries: readonly FoundEntry[],
  table: (name: string) => string,
): RunRecord {
  const { runId } = run;
  const ownRow = `the row of the run in ${table("runs")}`;
  if (runChecksum(run, found) !== found.checksum) throw corrupt(runId, ownRow, "its checksum does not fit");
  const builder = recordBuilder(runId);
  // The header first: of a newer format nothing else can be said.
  const isHeader = (row: FoundEntry): boolean => row.key.toString() === headerKey;
  for (const row of [...entries.filter(isHeader), ...entries.filter((row) => !isHeader(row))]) {
    const key = row.key.toString();
    const where = `the entry ${JSON.stringify(key)} in ${table("entries")}`;
    if (entryChecksum(run, row) !== row.checksum) throw corrupt(runId, where, "its checksum does not fit");
    if (row.revision > found.revision) {
      throw corrupt(runId, where, `it has revision ${row.revision}, and the run only ${found.revision}`);
    }
    const bytes = row.bytes === null ? [] : divided(row.bytes);
    if (bytes === undefined) throw corrupt(runId, where, "its bytes end too soon");
    const entry = unpackEntry(key, { text: row.text.toString(), bytes }, { runId, where });
    builder.apply({ kind: "put", key, entry });
  }
  const record = builder.view(found.revision);
  const { header } = record;
  if (header.runId !== runId) throw corrupt(runId, ownRow, `the header names run ${JSON.stringify(header.runId)}`);
  if (header.status !== found.status || header.version !== found.version || header.resumes !== found.resumes) {
    throw corrupt(runId, ownRow, "status, version or resumes is not what the header says");
  }
  return record;
}

/** Each piece after its length in four bytes. */
function joined(pieces: readonly Uint8Array[]): Buffer {
  const all = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + 4 + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.writeUInt32BE(piece.length, at);
    all.set(piece, at + 4);
    at += 4 + piece.length;
  }
  return all;
}

function divided(all: Buffer): readonly Uint8Array[] | undefined {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < all.length;) {
    if (at + 4 > all.length) return undefined;
    const end = at + 4 + all.readUInt32BE(at);
    if (end > all.length) return undefined;
    // Of their own: what a caller does with its bytes reaches no other value.
    pieces.push(new Uint8Array(all.subarray(at + 4, end)));
    at = end;
  }
  return pieces;
}
