import { headerKey, packEntry, unpackEntry } from "@pulse-ts/durable";
import type { EntryPlace, RecordChange, RecordEntry } from "@pulse-ts/durable";
import { base64Mark, bytesOfPiece, bytesToPieces, escapedMark } from "./escaped-bytes.ts";
import { corrupt, usage } from "./failure.ts";
import { tab, textOf } from "./line.ts";

/**
 * A change inside a line: a put is the entry's key, a space and its text, then a tab and a piece for each of its bytes;
 * a deletion is the key alone. Each change begins with a tab.
 */
export interface StoredChange {
  readonly key: string;
  /** The change as it lies in the file, tabs included. */
  readonly bytes: Buffer;
  /** The entry's text; absent in a deletion. */
  readonly text?: Buffer;
  /** The pieces that hold its bytes. */
  readonly pieces: readonly Buffer[];
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
    throw usage(runId, "REC-27", `saving run "${runId}": no entry can have the key ${JSON.stringify(key)}`);
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
    from += change.bytes.length;
  }
  return changes.length === count ? changes : undefined;
}

/** The change whose tab stands at `from`. */
function changeAt(bytes: Buffer, from: number): StoredChange | undefined {
  let end = endOfPiece(bytes, from);
  const cut = bytes.indexOf(space, from);
  if (cut < 0 || cut > end) {
    const key = bytes.toString("latin1", from + 1, end);
    // The header is never deleted.
    if (!keyForm.test(key) || key === headerKey) return undefined;
    return { key, bytes: bytes.subarray(from, end), pieces: [] };
  }
  const key = bytes.toString("latin1", from + 1, cut);
  if (!keyForm.test(key)) return undefined;
  const text = bytes.subarray(cut + 1, end);
  const pieces: Buffer[] = [];
  while (end < bytes.length && (bytes[end + 1] === escapedMark || bytes[end + 1] === base64Mark)) {
    const begin = end + 1;
    end = endOfPiece(bytes, end);
    pieces.push(bytes.subarray(begin, end));
  }
  return { key, bytes: bytes.subarray(from, end), text, pieces };
}

function endOfPiece(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(tab, from + 1);
  return end < 0 ? bytes.length : end;
}

const space = 0x20;

/** The entry that a change puts. Shares nothing with the file's bytes. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
export function entryOf({ key, text, pieces }: StoredChange, at: EntryPlace): RecordEntry {
  const read = text === undefined ? undefined : textOf(text);
  if (read === undefined) throw corrupt(at.runId, `${at.where}: ${key}`, `the entry's text is no UTF-8`);
  const bytes = pieces.map((piece) => {
    const value = bytesOfPiece(piece);
    if (value === undefined) throw corrupt(at.runId, `${at.where}: ${key}`, `its bytes are not written as bytes are`);
    return value;
  });
  return unpackEntry(key, { text: read, bytes }, at);
}
