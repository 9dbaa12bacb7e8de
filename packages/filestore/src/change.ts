import { isUtf8 } from "node:buffer";
import { headerKey, packEntry, shownRunId, unpackEntry } from "@pulse-ts/durable";
import type { EntryPlace, RecordChange, RecordEntry } from "@pulse-ts/durable";
import { corrupt, usage } from "@pulse-ts/durable/define-store";
import { bytesAt, bytesToPieces, isBytesMark } from "./escaped-bytes.ts";
import { tab } from "./line.ts";

/**
 * A change inside a line: a put is the entry's key, a space and its text, then a tab and a piece for each of its bytes;
 * a deletion is the key alone. Each change begins with a tab. Places are those in `line`; nothing is copied.
 */
export interface StoredChange {
  readonly kind: "put" | "delete";
  readonly key: string;
  readonly line: Buffer;
  /** Its first tab. */
  readonly from: number;
  /** Where the entry's text ends; the pieces of its bytes stand after it. */
  readonly textEnd: number;
  readonly end: number;
}

/** The changes of one line as they lie in the file. */
export interface StoredChanges {
  readonly count: number;
  readonly bytes: Buffer;
}

/**
 * Appends a change to the pieces of a line, and tells how many bytes it takes there; 0 for a deletion.
 * @throws PULSE_USAGE for what cannot be written (REC-15, REC-27)
 */
export function writeChange(runId: string, change: RecordChange, line: (string | Uint8Array)[]): number {
  const { key } = change;
  if (!keyForm.test(key)) {
    throw usage(runId, "REC-27", `saving run "${shownRunId(runId)}": no entry can have the key ${JSON.stringify(key)}`);
  }
  if (change.kind === "delete") {
    line.push(`\t${key}`);
    return 0;
  }
  const { text, bytes } = packEntry(key, change.entry);
  let head = `\t${key} ${text}`;
  let weight = Buffer.byteLength(head);
  for (const value of bytes) {
    const [mark, piece] = bytesToPieces(value);
    line.push(`${head}\t${mark}`, piece);
    head = "";
    weight += 2 + piece.length;
  }
  if (head !== "") line.push(head);
  return weight;
}

/** What percent-encoding leaves (REC-27): nothing that has a meaning in a line. */
const keyForm = /^[a-z][\w.!~*'()%/-]*$/;

/** The changes that a line holds; `undefined` when they are not as many as it says, or are none. */
export function changesIn({ count, bytes }: StoredChanges): readonly StoredChange[] | undefined {
  const changes: StoredChange[] = [];
  for (let from = 0; from < bytes.length;) {
    const change = changeAt(bytes, from);
    if (change === undefined) return undefined;
    changes.push(change);
    from = change.end;
  }
  return changes.length === count ? changes : undefined;
}

/** The change whose tab stands at `from`. */
function changeAt(line: Buffer, from: number): StoredChange | undefined {
  const textEnd = endOfPiece(line, from);
  const found = line.indexOf(space, from);
  const kind = found < 0 || found > textEnd ? "delete" : "put";
  const key = line.toString("latin1", from + 1, kind === "put" ? found : textEnd);
  // The header is never deleted.
  if (!keyForm.test(key) || (kind === "delete" && key === headerKey)) return undefined;
  let end = textEnd;
  if (kind === "put") while (end < line.length && isBytesMark(line[end + 1])) end = endOfPiece(line, end);
  return { kind, key, line, from, textEnd, end };
}

function endOfPiece(line: Buffer, from: number): number {
  const end = line.indexOf(tab, from + 1);
  return end < 0 ? line.length : end;
}

const space = 0x20;

/**
 * The entry that a change puts. Its bytes are parts of the line's memory, which is nobody else's.
 * @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT
 */
export function entryOf({ key, line, from, textEnd, end }: StoredChange, at: EntryPlace): RecordEntry {
  const textFrom = from + key.length + 2;
  const text = line.toString("utf8", textFrom, textEnd);
  // What is no UTF-8 is read as this character; it may be a text's own (REC-15).
  if (text.includes("\uFFFD") && !isUtf8(line.subarray(textFrom, textEnd))) {
    throw corrupt(at.runId, `${at.where}: ${key}`, "the entry's text is no UTF-8");
  }
  const bytes: Uint8Array[] = [];
  for (let piece = textEnd; piece < end;) {
    const next = endOfPiece(line, piece);
    const value = bytesAt(line, piece + 1, next);
    if (value === undefined) {
      throw corrupt(at.runId, `${at.where}: ${key}`, "its bytes are not written as bytes are");
    }
    bytes.push(value);
    piece = next;
  }
  return unpackEntry(key, { text, bytes }, at);
}
