import { hash } from "node:crypto";
import { entriesOf } from "../record/fold.ts";
import { mapValues, valuesIn } from "../record/entry-values.ts";
import type { ReadyBytes, RecordChange, RecordChanges, RecordEntry, RunRecord, ValueRecord } from "../record/format.ts";

/** Big values and the contents in their place (REC-8): pure, of records and changes alone. */

/** Bytes that are kept under their SHA-256, once for all runs (STORE-8). */
export interface Content {
  /** 64 hex digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** Absent where it must be there already. */
  readonly bytes?: Uint8Array;
}

/** Whether a text is a SHA-256 in the form that names a content. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** The contents that a save must find in their place: bytes over the limit, and what is named already. */
export function contentsOf(changes: RecordChanges, bytesMin: number): readonly Content[] {
  const found = new Map<string, Content>();
  for (const change of changes) {
    for (const value of change.kind === "put" ? soundValuesIn(change.key, change.entry) : []) {
      if (value.state !== "ready") continue;
      if ("content" in value) {
        const { digest, size } = value.content;
        // With its bytes at hand it is looked at more closely.
        if (isDigest(digest) && !found.has(digest)) found.set(digest, { digest, size });
      } else if (value.bytes.length > bytesMin && found.get(value.digest)?.bytes === undefined) {
        const { digest, bytes } = value;
        // What its digest does not fit stays as it is: the record's own check tells that (REC-9).
        if (hash("sha256", bytes) === digest) found.set(digest, { digest, size: bytes.length, bytes });
      }
    }
  }
  return [...found.values()];
}

/** The change with contents named in place of the bytes that are kept as such. */
export function namingContents(change: RecordChange, isKept: (digest: string) => boolean): RecordChange {
  if (change.kind === "delete") return change;
  const { key, entry } = change;
  if (!soundValuesIn(key, entry).some((value) => hasBytes(value) && isKept(value.digest))) return change;
  const named = mapValues(key, entry, (value) => {
    if (!hasBytes(value) || !isKept(value.digest)) return value;
    const { bytes, ...rest } = value;
    return { ...rest, content: { digest: value.digest, size: bytes.length } };
  });
  return { kind: "put", key, entry: named };
}

const hasBytes = (value: ValueRecord): value is ReadyBytes => value.state === "ready" && "bytes" in value;

/** A store is given entries as they come: one that is not of its kind has no values to look at. */
function soundValuesIn(key: string, entry: RecordEntry): readonly ValueRecord[] {
  try {
    return valuesIn(key, entry).filter((value) => typeof value === "object" && value !== null);
  } catch {
    return [];
  }
}

/** Every content that a record names, wherever in it: rather one too many than one too few. */
export function* contentsNamed(record: RunRecord): Generator<string> {
  for (const change of entriesOf(record)) if (change.kind === "put") yield* contentsNamedBy(change.entry);
}

/** Every content that one entry names, as {@link contentsNamed} finds them: some perhaps more than once. */
export function contentsNamedBy(entry: RecordEntry): Generator<string> {
  return digestsIn(entry);
}

function* digestsIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  const { digest, size } = value as { readonly digest?: unknown; readonly size?: unknown };
  if (typeof digest === "string" && size !== undefined) yield digest;
  for (const part of Object.values(value)) yield* digestsIn(part);
}
