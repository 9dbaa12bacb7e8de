import { join } from "node:path";
import { encodeEntry, entriesOf, shownRunId } from "@pulse-ts/durable";
import type { RecordChange, RunRecord } from "@pulse-ts/durable";
import { corrupt } from "./failure.ts";
import { areChanges } from "./journal.ts";
import type { StoredChange } from "./journal.ts";
import { fileFormat, newFolder, newToken, snapshotName } from "./layout.ts";
import type { EpochPlace, RunFolder } from "./layout.ts";
import { firstLine, line, linesOf, readFirstLine, readLine, textOf } from "./line.ts";
import type { Parts } from "./parts.ts";
import type { Platform } from "./platform.ts";
import { newerFormat } from "./root.ts";

/** Which snapshot: its epoch is the one that is open while it is written. */
export interface SnapshotPlace extends EpochPlace {
  readonly revision: number;
}

export interface SnapshotOptions {
  /** An entry as it stands in a file. */
  readonly stored?: ((change: RecordChange) => RecordChange) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const unchanged = (change: RecordChange): RecordChange => change;

/**
 * Writes the record as a snapshot that survives a loss of power from the moment it has its name (FILE-4): staged,
 * synced, renamed, folder synced. The work between two waits is bounded, whatever the record's size.
 * Gives up, with `false`, when the signal is aborted meanwhile: then the record may change under it.
 */
export async function writeSnapshot(
  parts: Parts,
  place: EpochPlace,
  record: RunRecord,
  { stored = unchanged, signal }: SnapshotOptions = {},
): Promise<boolean> {
  const { platform, root } = parts;
  const { run, incarnation, epoch } = place;
  const { revision } = record.header;
  const staged = join(newFolder(root), newToken());
  try {
    const file = await platform.createFile("snapshot-create", staged);
    try {
      for (const text of snapshotBlocks(run, epoch, record, stored)) {
        if (signal?.aborted === true) {
          await platform.unlink("snapshot-unstage", staged);
          return false;
        }
        await platform.write("snapshot-write", file, Buffer.from(text));
      }
      await platform.sync("snapshot-sync", file);
    } finally {
      await file.close();
    }
    await platform.rename("snapshot-publish", staged, join(run.path, snapshotName(incarnation, revision, epoch)));
  } catch (error) {
    // Not published, so nobody reads it; should it stay, it is swept up later.
    await platform.unlink("snapshot-unstage", staged).catch(() => undefined);
    throw error;
  }
  await platform.syncFolder("snapshot-folder-sync", run.path);
  return true;
}

/** The text of a snapshot in pieces: each but the first and the last is one line of about {@link lineCharacters}. */
function* snapshotBlocks(
  run: RunFolder,
  epoch: number,
  record: RunRecord,
  stored: (change: RecordChange) => RecordChange,
): Generator<string> {
  yield firstLine("snapshot", fileFormat, { runId: run.runId, revision: record.header.revision, epoch });
  let texts: string[] = [];
  let length = 0;
  let entries = 0;
  for (const whole of entriesOf(record)) {
    const change = stored(whole);
    if (change.kind === "delete") continue;
    const key = JSON.stringify(change.key);
    const entry = encodeEntry(change.entry);
    const weight = key.length + entry.length;
    texts.push(`[${key},${weight},${entry}]`);
    entries += 1;
    length += weight;
    if (length >= lineCharacters) {
      yield entriesLine(texts);
      texts = [];
      length = 0;
    }
  }
  if (texts.length > 0) yield entriesLine(texts);
  yield line("end", JSON.stringify({ entries }));
}

const entriesLine = (texts: readonly string[]): string => line("entries", `{"changes":[${texts.join(",")}]}`);

const lineCharacters = 64 * 1024;

/** The first line of a snapshot: which run it is of. */
export async function readSnapshotRunId(platform: Platform, path: string): Promise<string | undefined> {
  const file = await platform.openToRead(path);
  try {
    for await (const raw of linesOf(file)) {
      const text = textOf(raw.bytes);
      const runId = text === undefined ? undefined : readFirstLine("snapshot", text, fileFormat)?.body?.["runId"];
      return typeof runId === "string" ? runId : undefined;
    }
    return undefined;
  } finally {
    await file.close();
  }
}

/**
 * Reads a snapshot and gives each entry to `take`. It got its name only when it was whole, so nothing in it may be
 * damaged or missing. @throws PULSE_CORRUPT naming file and line, PULSE_NEWER_FORMAT
 */
export async function readSnapshot(
  platform: Platform,
  place: SnapshotPlace,
  take: (change: StoredChange, where: string) => void,
): Promise<void> {
  const { run, incarnation, epoch, revision } = place;
  const path = join(run.path, snapshotName(incarnation, revision, epoch));
  const file = await platform.openToRead(path);
  let entries = 0;
  let ended = false;
  let last = 0;
  try {
    for await (const raw of linesOf(file)) {
      last = raw.number;
      const where = `${path}:${raw.number}`;
      const text = raw.whole && !ended ? textOf(raw.bytes) : undefined;
      if (raw.number === 1) {
        checkFirstLine(place, where, text);
        continue;
      }
      const found = text === undefined ? undefined : readLine(text);
      if (found?.word === "end" && found.body["entries"] === entries) {
        ended = true;
        continue;
      }
      const changes = found?.word === "entries" ? found.body["changes"] : undefined;
      if (!areChanges(changes)) throw corrupt(run.runId, where, "the line is damaged or does not belong here");
      for (const change of changes) take(change, where);
      entries += changes.length;
    }
  } finally {
    await file.close();
  }
  if (!ended) throw corrupt(run.runId, `${path}:${last + 1}`, "the end of the snapshot is missing");
}

function checkFirstLine({ run, revision }: SnapshotPlace, where: string, text: string | undefined): void {
  const found = text === undefined ? undefined : readFirstLine("snapshot", text, fileFormat);
  if (found !== undefined && found.format > fileFormat) {
    throw newerFormat(run.runId, `reading run "${shownRunId(run.runId)}"`, where, found.format);
  }
  if (found?.body?.["runId"] !== run.runId || found.body["revision"] !== revision) {
    throw corrupt(run.runId, where, "the first line is damaged or belongs to another snapshot");
  }
}
