import { join } from "node:path";
import { shownRunId } from "@pulse-ts/durable";
import type { Header, RunRecord } from "@pulse-ts/durable";
import { corrupt, refusal } from "@pulse-ts/durable/define-store";
import { changesIn } from "./change.ts";
import type { StoredChange, StoredChanges } from "./change.ts";
import { readJournal } from "./journal.ts";
import type { JournalContent, JournalLine } from "./journal.ts";
import { journalName, sortNames } from "./layout.ts";
import type { Listing, RunFolder } from "./layout.ts";
import type { Platform } from "./platform.ts";
import { EntryPlaces } from "./places.ts";
import { systemCode } from "./platform.ts";
import { ReadEntries } from "./read-entries.ts";
import { readSnapshot } from "./snapshot.ts";
import { refuseUnmarked } from "./unmarked.ts";

/** A run as its files tell it. */
export interface Reading {
  /** 0 when nothing was ever saved. */
  readonly revision: number;
  /** What was asked for. */
  readonly entries: ReadEntries;
  readonly places: EntryPlaces;
  /** Bytes that the saves since the snapshot take on disk; a file counts as one block at least. */
  readonly journalBytes: number;
  /** The snapshot that it begins with. */
  readonly snapshot: { readonly revision: number; readonly epoch: number } | undefined;
  /** Bytes that its entries take. */
  readonly snapshotBytes: number;
  /** The last save, unless it is in the snapshot. */
  readonly tail: StoredChanges | undefined;
  /** Whether the owner before `ownEpoch` let go in order, or there was none: then no older journal ever changes. */
  readonly settled: boolean;
  /** Whether the run was deleted. */
  readonly deleted: boolean;
}

export interface ReadOptions {
  /** The epoch of the owner who reads. */
  readonly ownEpoch?: number;
  /** Of which entries more is needed than that they are there; default all. */
  readonly wanted?: "all" | "header";
}

/**
 * Reads the files of a run; `undefined` when there is no such run. A file that goes away meanwhile has been folded
 * into a newer snapshot: then it begins anew. @throws PULSE_CORRUPT naming file and line, PULSE_NEWER_FORMAT, PULSE_STORE
 */
export async function readRun(
  platform: Platform,
  run: RunFolder,
  options: ReadOptions = {},
): Promise<Reading | undefined> {
  for (let round = 0; round < roundsMax; round += 1) {
    const names = await platform.list(run.path);
    const listing = sortNames(names ?? []);
    if (listing === undefined) {
      await refuseUnmarked(platform, run, names ?? []);
      return undefined;
    }
    try {
      return await readListed(platform, run, listing, options);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  const doing = { what: `reading run "${shownRunId(run.runId)}"`, runId: run.runId, medium: run.path };
  throw refusal(doing, `its files changed ${roundsMax} times while they were read; try again`);
}

/** How often reading begins anew. Each time a whole snapshot was written meanwhile, so this is far out of reach. */
const roundsMax = 100;

async function readListed(
  platform: Platform,
  run: RunFolder,
  listing: Listing,
  { ownEpoch, wanted = "all" }: ReadOptions,
): Promise<Reading> {
  const entries = new ReadEntries(run.runId, wanted);
  const places = new EntryPlaces();
  const take = (change: StoredChange, where: string, epoch: number, revision: number): void => {
    if (change.kind === "delete") places.delete(change.key);
    else places.put(change.key, { epoch, revision, weight: change.end - change.from });
    entries.take(change, where);
  };

  const snapshot = listing.snapshots.at(-1);
  const journals: JournalContent[] = [];
  // The newest first: where it says that the run was deleted, the others may be gone already.
  for (const epoch of listing.epochs.toReversed()) {
    const journal = await readJournal(platform, run, listing.incarnation, epoch);
    if (journal.head?.deleted === true) return deletedRun(run);
    journals.unshift(journal);
  }
  const [firstEpoch] = listing.epochs;
  if (snapshot === undefined && firstEpoch !== undefined && firstEpoch > 1) {
    // Only a snapshot lets the first journal go. Owners and readers may meet a folder that is just being folded.
    if (sortNames((await platform.list(run.path)) ?? [])?.snapshots.length !== 0) throw replacedMeanwhile;
    throw corrupt(
      run.runId,
      run.path,
      `the first journal is ${firstEpoch}, and the snapshot of what was before is missing`,
    );
  }
  let snapshotBytes = 0;
  if (snapshot !== undefined) {
    const place = { run, incarnation: listing.incarnation, ...snapshot };
    await readSnapshot(platform, place, (change, where) => {
      snapshotBytes += change.end - change.from;
      take(change, where, 0, snapshot.revision);
    });
  } else if (journals.length === 0) return deletedRun(run);

  let revision = snapshot?.revision ?? 0;
  let journalBytes = 0;
  let tail: StoredChanges | undefined;
  for (const { epoch, line: found } of countingLines(journals)) {
    if (found.revision <= revision) continue;
    if (found.revision > revision + 1 || found.changes === undefined) {
      throw corrupt(run.runId, found.where, `it has revision ${found.revision}, but ${revision + 1} is missing`);
    }
    const changes = changesIn(found.changes);
    if (changes === undefined) throw corrupt(run.runId, found.where, "the line holds no list of changes");
    for (const change of changes) take(change, found.where, epoch, found.revision);
    tail = found.changes;
    revision = found.revision;
  }
  for (const journal of journals) {
    const { lines, closedAt } = journal;
    const odd = lines.find((found, at) => at > 0 && found.revision !== (lines[at - 1]?.revision ?? 0) + 1);
    if (odd !== undefined)
      throw corrupt(run.runId, odd.where, `it has revision ${odd.revision}, which is not the next one`);
    if (closedAt > revision) {
      const where = join(run.path, journalName(listing.incarnation, journal.epoch));
      throw corrupt(run.runId, where, `it was closed at revision ${closedAt}, but ends at ${revision}`);
    }
    if (journal.lines.some((found) => found.revision > (snapshot?.revision ?? 0))) {
      journalBytes += Math.max(journal.bytes, blockBytes);
    }
  }
  const before = journals.findLast(({ epoch }) => epoch !== ownEpoch);
  return {
    revision,
    entries,
    places,
    journalBytes,
    snapshot,
    snapshotBytes,
    tail,
    settled: before === undefined || before.closed,
    deleted: false,
  };
}

/** Makes reading begin anew, as a file does that goes away meanwhile. */
const replacedMeanwhile: Error = Object.assign(new Error("the files were folded meanwhile"), { code: "ENOENT" });

const deletedRun = ({ runId }: RunFolder): Reading => ({
  revision: 0,
  entries: new ReadEntries(runId, "header"),
  places: new EntryPlaces(),
  journalBytes: 0,
  snapshot: undefined,
  snapshotBytes: 0,
  tail: undefined,
  settled: true,
  deleted: true,
});

/** What a file takes on disk at least. */
const blockBytes = 4096;

/**
 * The lines that count, in order. What an owner wrote after the next one had fixed what it found never counts: it was
 * never confirmed, since that owner would have looked before (FILE-3).
 */
export function countingLines(
  journals: readonly JournalContent[],
): readonly { readonly epoch: number; readonly line: JournalLine }[] {
  const counting: { epoch: number; line: JournalLine }[] = [];
  let limit = Number.POSITIVE_INFINITY;
  for (const { epoch, lines } of journals.toReversed()) {
    // One by one: a journal may have more lines than a call takes arguments.
    for (const line of lines.toReversed()) if (line.revision <= limit) counting.push({ epoch, line });
    const first = lines[0];
    if (first !== undefined) limit = Math.min(limit, first.kind === "seal" ? first.revision : first.revision - 1);
  }
  return counting.toReversed();
}

/** The record, isolated: it shares nothing with what was read. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
export const recordOf = (run: RunFolder, { entries, revision }: Reading): RunRecord =>
  entries.record(run.path, revision);

/** The record's header alone, decoded and checked. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
export const headerOf = (run: RunFolder, { entries, revision }: Reading): Header => entries.header(run.path, revision);
