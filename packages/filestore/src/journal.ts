import { join } from "node:path";
import { shownRunId } from "@pulse-ts/durable";
import type { RecordChanges } from "@pulse-ts/durable";
import { corrupt, readHolder } from "@pulse-ts/durable/define-store";
import type { Holder } from "@pulse-ts/durable/define-store";
import { writeChange } from "./change.ts";
import type { StoredChanges } from "./change.ts";
import { fileFormat, journalName } from "./layout.ts";
import type { RunFolder } from "./layout.ts";
import { firstLine, line, linesOf, readFirstLine, readLine } from "./line.ts";
import type { LineMemory, RawLine } from "./line.ts";
import type { Platform } from "./platform.ts";
import { newerFormat } from "./root.ts";

/** What the first line of a journal says: whose epoch it is. */
export interface EpochHead {
  readonly runId: string;
  readonly epoch: number;
  /** Names the owner's lock. */
  readonly token: string;
  readonly holder: Holder;
  /** True for the epoch that ends the run: it was deleted. */
  readonly deleted: boolean;
}

/** The first line of a journal. */
export const headLine = (head: EpochHead): Buffer => firstLine("journal", fileFormat, head);

/** A save as one line, and what it does to the weight of each entry. */
export interface EncodedSave {
  readonly bytes: Buffer;
  /** Bytes that each change's entry takes in a line; 0 for one that is deleted. */
  readonly weights: readonly number[];
}

/**
 * Writes a save as one line of the journal, which stands in `memory` until the next one does.
 * @throws PULSE_USAGE for what cannot be written (REC-15, REC-27)
 */
export function encodeSave(runId: string, revision: number, changes: RecordChanges, memory: LineMemory): EncodedSave {
  const pieces: (string | Uint8Array)[] = [`save ${revision} ${changes.length}`];
  const weights = changes.map((change) => writeChange(runId, change, pieces));
  return { bytes: line(pieces, memory), weights };
}

/**
 * The line by which a new owner fixes what it found when the owner before it did not close: nothing that is written
 * to an older journal later counts. It repeats the last save, whose own copy may never have reached the disk.
 */
export function sealLine(revision: number, tail: StoredChanges | undefined): Buffer {
  return line(tail === undefined ? [`seal ${revision}`] : [`seal ${revision} ${tail.count}`, tail.bytes]);
}

/** The line that ends a journal: its owner has let go at this revision, and writes nothing more. */
export const closeLine = (revision: number): Buffer => line([`close ${revision}`]);

/** A journal, read. */
export interface JournalContent {
  readonly epoch: number;
  /** Absent when the system went down before the first line was on disk: then there is nothing else in it. */
  readonly head?: EpochHead;
  readonly lines: readonly JournalLine[];
  readonly closed: boolean;
  /** The revision at which its owner let go. */
  readonly closedAt: number;
  /** Of its whole lines. */
  readonly bytes: number;
}

export interface JournalLine {
  readonly kind: "save" | "seal";
  readonly revision: number;
  /** Absent in a seal that had no save to repeat. */
  readonly changes?: StoredChanges;
  /** File and line. */
  readonly where: string;
}

/** A run's folder; without a run id where that is what the file is to tell. */
type Whose = { readonly path: string; readonly runId?: string };

/** Who opened a journal: its first line alone. `undefined` when the system went down before that line was on disk. */
export async function readHead(
  platform: Platform,
  run: Whose,
  incarnation: string,
  epoch: number,
): Promise<EpochHead | undefined> {
  const path = join(run.path, journalName(incarnation, epoch));
  const file = await platform.openToRead(path);
  try {
    for await (const [raw] of linesOf(file)) return raw === undefined ? undefined : parseHead(run, path, epoch, raw);
    return undefined;
  } finally {
    await file.close();
  }
}

/** Reads a whole journal. @throws PULSE_CORRUPT naming file and line (FILE-2), PULSE_NEWER_FORMAT (STORE-9) */
export async function readJournal(
  platform: Platform,
  run: RunFolder,
  incarnation: string,
  epoch: number,
): Promise<JournalContent> {
  const path = join(run.path, journalName(incarnation, epoch));
  const lines: JournalLine[] = [];
  let head: EpochHead | undefined;
  let closed = false;
  let closedAt = 0;
  let bytes = 0;
  /** A line that was not written whole. Only the last one may be. */
  let torn: RawLine | undefined;
  const take = (raw: RawLine): void => {
    if (isRoom(raw)) return;
    if (torn !== undefined) throw corrupt(run.runId, `${path}:${torn.number}`, damaged);
    if (closed)
      throw corrupt(run.runId, `${path}:${raw.number}`, "the line stands after the one that ends the journal");
    if (raw.number === 1) {
      head = parseHead(run, path, epoch, raw);
      if (head === undefined) torn = raw;
      else bytes += raw.bytes.length + 1;
      return;
    }
    const parsed = parseLine(run, path, raw);
    if (parsed === undefined) {
      torn = raw;
      return;
    }
    bytes += raw.bytes.length + 1;
    if (parsed.kind === "close") [closed, closedAt] = [true, parsed.revision];
    else lines.push(parsed);
  };
  const file = await platform.openToRead(path);
  try {
    for await (const block of linesOf(file)) block.forEach(take);
  } finally {
    await file.close();
  }
  return { epoch, ...(head === undefined ? {} : { head }), lines, closed, closedAt, bytes };
}

/** Whether the last line of a journal says that its owner has let go. Looks at no other line. */
export async function endsInOrder(
  platform: Platform,
  run: Whose,
  incarnation: string,
  epoch: number,
): Promise<boolean> {
  const file = await platform.openToRead(join(run.path, journalName(incarnation, epoch)));
  let last: RawLine | undefined;
  try {
    for await (const block of linesOf(file)) last = block.at(-1);
  } finally {
    await file.close();
  }
  return last?.whole === true && readLine(last.bytes)?.head.startsWith("close ") === true;
}

/** Whether it is no line, but what was made ready for one (`journal-file.ts`). A line that was cut off may stand before it. */
const isRoom = ({ whole, bytes }: RawLine): boolean => !whole && bytes.every((byte) => byte === 0);

const damaged = "the line is damaged: its checksum does not fit";

/**
 * Whether a damaged line is one that was never written whole: it begins as its kind does and lacks its end, or it has
 * a block that the system never wrote, which reads as zeros. Nothing that this store writes has a zero byte. Any other
 * damage came later.
 */
const isTorn = (raw: RawLine, beginning: RegExp): boolean =>
  raw.bytes.includes(0) || (!raw.whole && beginning.test(raw.bytes.toString("latin1", 0, beginningMax)));

/** Every beginning of a first line, and of another one, down to nothing at all. */
const headBeginning = /^(?:pulse-journal\/\d+ (?:[0-9a-f]{8} |[0-9a-f]{0,8}$)|pulse-journal\/\d*$)/;
const lineBeginning = /^(?:[0-9a-f]{8} (?:save|seal|close) \d|[0-9a-f]{8} [a-z]{0,5} ?$|[0-9a-f]{0,8}$)/;
const beginningMax = 64;

const isHeadBeginning = (raw: RawLine): boolean => "pulse-journal/".startsWith(raw.bytes.toString("latin1"));

function parseHead(run: Whose, path: string, epoch: number, raw: RawLine): EpochHead | undefined {
  const where = `${path}:1`;
  const expected = run.runId ?? "";
  const found = raw.whole ? readFirstLine("journal", raw.bytes, fileFormat) : undefined;
  if (found !== undefined && found.format > fileFormat) {
    throw newerFormat(expected, `reading run "${shownRunId(expected)}"`, where, found.format);
  }
  if (found?.body === undefined) {
    if (isTorn(raw, headBeginning) || (!raw.whole && isHeadBeginning(raw))) return undefined;
    throw corrupt(expected, where, damaged);
  }
  const { runId, token, deleted, epoch: foundEpoch } = found.body;
  const holder = readHolder(found.body["holder"]);
  if (typeof runId !== "string" || typeof token !== "string" || holder === undefined || foundEpoch !== epoch) {
    throw corrupt(expected, where, "the first line does not tell whose epoch this is");
  }
  if (run.runId !== undefined && run.runId !== runId)
    throw corrupt(expected, where, `the file belongs to run ${JSON.stringify(runId)}`);
  return { runId, epoch, token, holder, deleted: deleted === true };
}

function parseLine(
  run: RunFolder,
  path: string,
  raw: RawLine,
): JournalLine | { readonly kind: "close"; readonly revision: number } | undefined {
  const found = raw.whole ? readLine(raw.bytes) : undefined;
  if (found === undefined) {
    if (isTorn(raw, lineBeginning)) return undefined;
    throw corrupt(run.runId, `${path}:${raw.number}`, damaged);
  }
  const where = `${path}:${raw.number}`;
  const [, kind, number, counted] = /^(save|seal|close) (\d{1,16})(?: (\d{1,9}))?$/.exec(found.head) ?? [];
  const revision = Number(number);
  const fits = kind === "save" ? counted !== undefined : kind === "seal" || (kind === "close" && counted === undefined);
  if (!fits || !Number.isSafeInteger(revision)) {
    throw corrupt(run.runId, where, "the line is neither a save nor a seal nor a close");
  }
  if (counted === undefined && found.rest.length > 0) {
    throw corrupt(run.runId, where, "the line holds more than it says");
  }
  if (kind === "close") return { kind, revision };
  const changes = counted === undefined ? {} : { changes: { count: Number(counted), bytes: found.rest } };
  return { kind: kind === "save" ? "save" : "seal", revision, ...changes, where };
}
