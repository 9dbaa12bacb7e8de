import { PulseError } from "@pulse-ts/core";
import { shownRunId } from "../run-id.ts";
import { headerKey, parseEntryKey, parseIds } from "./entry-key.ts";
import type { EntryKind } from "./entry-key.ts";
import { recordFormat } from "./format.ts";
import type { RecordEntry } from "./format.ts";
import { fromPlain, illFormedPlace, toPlain } from "./plain.ts";
import type { Plain } from "./plain.ts";
import { shapeProblem } from "./shape.ts";

/** Where a store found an entry, for its errors. */
export interface EntryPlace {
  readonly runId: string;
  /** File and line, table and row: whatever leads a human there. */
  readonly where: string;
}

/**
 * Writes an entry as one line of JSON: bytes (the fields named `bytes`) as base64 with padding, the rest as it is.
 * What {@link decodeEntry} gives back is equal, or it is refused here; nothing is dropped or changed.
 * Fields that JSON would lose (`undefined`, -0, NaN, functions, class instances) are refused.
 * @throws PULSE_USAGE, rule REC-15, for a string or key with an unpaired surrogate; rule REC-27 for what is no plain data
 */
export function encodeEntry(entry: RecordEntry): string {
  const plain = toPlain(entry);
  if ("problem" in plain) throw refused("REC-27", plain.problem);
  const json = JSON.stringify(plain.value);
  // JSON.stringify escapes unpaired surrogates and no others, so one look at its text stands for a look at each string.
  if (json.includes("\\ud")) {
    const place = illFormedPlace(entry);
    if (place !== undefined) throw refused("REC-15", place);
  }
  return json;
}

/** A PULSE_USAGE error for an entry that cannot be written. */
export function refused(rule: string, problem: string): PulseError {
  return new PulseError("PULSE_USAGE", `an entry of a run record cannot be written: ${problem}`, { details: { rule } });
}

/**
 * Reads an entry back from parsed JSON and checks its shape by the kind that `key` names. Unknown header fields are
 * kept (REC-16); unknown fields elsewhere are refused. The result shares nothing with `json`.
 * @throws PULSE_CORRUPT, naming `at.where`, the key and the field (REC-15: unpaired surrogates too);
 *   PULSE_NEWER_FORMAT for a header of a later format
 */
export function decodeEntry(key: string, json: unknown, at: EntryPlace): RecordEntry {
  const kind = kindOf(key, at);
  if (kind === headerKey) refuseNewerFormat(json, at);
  return shapedEntry(key, kind, fromPlain(json), at);
}

/** The way of every entry into a record: what is wrong with it is told, and its shape checked. @throws PULSE_CORRUPT */
export function shapedEntry(
  key: string,
  kind: EntryKind | typeof headerKey,
  plain: Plain,
  at: EntryPlace,
): RecordEntry {
  if ("problem" in plain) throw corruptEntry(at, `${key}: ${plain.problem}`);
  const problem = shapeProblem(kind, plain.value);
  if (problem !== undefined) throw corruptEntry(at, `${key}: ${problem}`);
  // The shape was just checked.
  return plain.value as RecordEntry;
}

/** @throws PULSE_CORRUPT for a key that no entry can have (REC-27) */
export function kindOf(key: string, at: EntryPlace): EntryKind | typeof headerKey {
  if (key === headerKey) return headerKey;
  const parsed = parseEntryKey(key);
  if (parsed === undefined || parseIds(parsed.kind, parsed.ids) === undefined) {
    throw corruptEntry(at, `no entry can have the key ${JSON.stringify(key)}`);
  }
  return parsed.kind;
}

/** Looked at first: of a later format nothing else is known (REC-16). @throws PULSE_NEWER_FORMAT */
export function refuseNewerFormat(json: unknown, at: EntryPlace): void {
  const found: unknown = typeof json === "object" && json !== null ? (json as { format?: unknown }).format : undefined;
  if (typeof found !== "number" || !(found > recordFormat)) return;
  throw new PulseError(
    "PULSE_NEWER_FORMAT",
    `reading run "${shownRunId(at.runId)}" (${at.where}): its record has format ${found}, this version of @pulse-ts/durable reads up to ${recordFormat}; use a newer one`,
    { details: { runId: at.runId, next: "newer-package", found, supported: recordFormat } },
  );
}

/** A PULSE_CORRUPT error for an entry: `problem` begins with its key. */
export function corruptEntry(at: EntryPlace, problem: string): PulseError {
  const where = `${at.where}: ${problem}`;
  return new PulseError(
    "PULSE_CORRUPT",
    `reading run "${shownRunId(at.runId)}": ${where}; restore the run from a backup`,
    {
      details: { runId: at.runId, next: "restore-backup", where },
    },
  );
}
