import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { shownRunId } from "@pulse-ts/durable";
import { corrupt } from "@pulse-ts/durable/define-store";
import { changesIn } from "./change.ts";
import type { StoredChange } from "./change.ts";
import { fileFormat, newFolder, newToken, snapshotName } from "./layout.ts";
import type { EpochPlace } from "./layout.ts";
import { firstLine, line, linesOf, readFirstLine, readLine } from "./line.ts";
import type { RawLine } from "./line.ts";
import type { Parts } from "./parts.ts";
import type { Platform } from "./platform.ts";
import { newerFormat } from "./root.ts";

/** Which snapshot: what was saved up to this revision, by the owners up to this epoch. */
export interface SnapshotPlace extends EpochPlace {
  readonly revision: number;
}

/**
 * Writes a snapshot that survives a loss of power from the moment it has its name (FILE-4): staged, synced, renamed,
 * folder synced. `changes` are puts as they lie in other files. Holds what {@link lineBytes} says, and leaves no more than
 * {@link unsyncedBytesMax} for the disk to write at once: whoever syncs another file meanwhile waits for that, too.
 * Gives up, with `false`, when `mayPublish` says so at the end.
 */
export async function writeSnapshot(
  { platform, root }: Parts,
  place: SnapshotPlace,
  changes: AsyncIterable<readonly StoredChange[]>,
  mayPublish: (entries: number) => boolean,
): Promise<boolean> {
  const { run, incarnation, epoch, revision } = place;
  const staged = join(newFolder(root), newToken());
  let published = false;
  try {
    const file = await platform.createFile("snapshot-create", staged);
    let entries: number;
    try {
      await platform.write(
        "snapshot-write",
        file,
        firstLine("snapshot", fileFormat, { runId: run.runId, revision, epoch }),
      );
      entries = await writeEntries(platform, file, changes);
      await platform.write("snapshot-write", file, line([`end ${entries}`]));
      await platform.sync("snapshot-sync", file);
    } finally {
      await file.close();
    }
    if (!mayPublish(entries)) return false;
    await platform.rename("snapshot-publish", staged, join(run.path, snapshotName(incarnation, revision, epoch)));
    published = true;
  } finally {
    // Not published, so nobody reads it; should it stay, it is swept up later.
    if (!published) await platform.unlink("snapshot-unstage", staged).catch(() => undefined);
  }
  await platform.syncFolder("snapshot-folder-sync", run.path);
  return true;
}

async function writeEntries(
  platform: Platform,
  file: FileHandle,
  changes: AsyncIterable<readonly StoredChange[]>,
): Promise<number> {
  let entries = 0;
  let unsynced = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  const writeLine = async (): Promise<void> => {
    const bytes = line([`entries ${pieces.length}`, ...pieces]);
    entries += pieces.length;
    pieces = [];
    length = 0;
    await platform.write("snapshot-write", file, bytes);
    unsynced += bytes.length;
    if (unsynced < unsyncedBytesMax) return;
    await platform.sync("snapshot-sync", file);
    unsynced = 0;
  };
  for await (const block of changes) {
    for (const { line: source, from, end } of block) {
      pieces.push(source.subarray(from, end));
      length += end - from;
      if (length >= lineBytes) await writeLine();
    }
  }
  if (pieces.length > 0) await writeLine();
  return entries;
}

/** Bytes of a line of a snapshot, about: one entry may be bigger. */
const lineBytes = 64 * 1024;
const unsyncedBytesMax = 4 * 1024 * 1024;

/** The first line of a snapshot: which run it is of. */
export async function readSnapshotRunId(platform: Platform, path: string): Promise<string | undefined> {
  const file = await platform.openToRead(path);
  try {
    for await (const [raw] of linesOf(file)) {
      const runId = raw === undefined ? undefined : readFirstLine("snapshot", raw.bytes, fileFormat)?.body?.["runId"];
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
  const { run } = place;
  const path = snapshotPath(place);
  let entries = 0;
  let ended = false;
  let last = 0;
  const takeLine = (raw: RawLine): void => {
    last = raw.number;
    const where = `${path}:${raw.number}`;
    if (raw.number === 1) return checkFirstLine(place, where, raw);
    const found = raw.whole && !ended ? readLine(raw.bytes) : undefined;
    if (found?.head === `end ${entries}` && found.rest.length === 0) {
      ended = true;
      return;
    }
    const count = /^entries (\d{1,9})$/.exec(found?.head ?? "")?.[1];
    const changes =
      found === undefined || count === undefined ? undefined : changesIn({ count: Number(count), bytes: found.rest });
    if (changes === undefined) throw corrupt(run.runId, where, "the line is damaged or does not belong here");
    for (const change of changes) take(change, where);
    entries += changes.length;
  };
  const file = await platform.openToRead(path);
  try {
    for await (const block of linesOf(file)) block.forEach(takeLine);
  } finally {
    await file.close();
  }
  if (!ended) throw corrupt(run.runId, `${path}:${last + 1}`, "the end of the snapshot is missing");
}

const snapshotPath = ({ run, incarnation, revision, epoch }: SnapshotPlace): string =>
  join(run.path, snapshotName(incarnation, revision, epoch));

function checkFirstLine({ run, revision }: SnapshotPlace, where: string, { bytes, whole }: RawLine): void {
  const found = whole ? readFirstLine("snapshot", bytes, fileFormat) : undefined;
  if (found !== undefined && found.format > fileFormat) {
    throw newerFormat(run.runId, `reading run "${shownRunId(run.runId)}"`, where, found.format);
  }
  if (found?.body?.["runId"] !== run.runId || found.body["revision"] !== revision) {
    throw corrupt(run.runId, where, "the first line is damaged or belongs to another snapshot");
  }
}
