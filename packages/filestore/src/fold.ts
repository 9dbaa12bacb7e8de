import { join } from "node:path";
import { changesIn } from "./change.ts";
import type { StoredChange } from "./change.ts";
import { isNewest } from "./epoch.ts";
import { journalName, snapshotName, sortNames } from "./layout.ts";
import type { EpochPlace } from "./layout.ts";
import { linesOf, readLine } from "./line.ts";
import type { Parts } from "./parts.ts";
import type { EntryPlace, FrozenPlaces } from "./places.ts";
import { removeOld } from "./remove.ts";
import { writeSnapshot } from "./snapshot.ts";

/** What is folded: everything that was saved before this epoch began. None of these files changes any more. */
export interface Folding {
  /** The owner's epoch, in whose journal saves go on meanwhile. */
  readonly own: EpochPlace;
  /** The last revision that was saved before it began. */
  readonly revision: number;
  /** Where the entries lay then. */
  readonly places: FrozenPlaces;
  /** The snapshot that the places of epoch 0 to `foldedThrough` speak of. */
  readonly snapshot?: FoldedSnapshot | undefined;
}

/** A snapshot, and which journals it took in. */
export interface FoldedSnapshot {
  readonly revision: number;
  readonly epoch: number;
  /** Every entry whose place is in this epoch or before lies in the snapshot. */
  readonly foldedThrough: number;
}

/**
 * Folds the journals of all epochs before into a snapshot and removes them (FILE-4). Entries are copied as they lie in
 * the files, so what a fold costs is to read and write them; memory holds a block and a line.
 * `undefined` when it was given up: a newer owner was seen, or a file does not hold what this owner knows to be there;
 * then everything stays, and the next load tells what is wrong.
 */
export async function fold(parts: Parts, folding: Folding): Promise<FoldedSnapshot | undefined> {
  const { own, revision, places } = folding;
  const { run, incarnation } = own;
  const epoch = own.epoch - 1;
  const changes = entriesIn(parts, folding);
  const mayPublish = (entries: number): boolean => entries === places.size && isNewest(parts, own);
  if (!(await writeSnapshot(parts, { run, incarnation, epoch, revision }, changes, mayPublish))) return undefined;
  if (isNewest(parts, own)) await removeOld(parts, own);
  return { revision, epoch, foldedThrough: epoch };
}

/** The entries as they lie in the files, each once. */
async function* entriesIn(parts: Parts, { own, places, snapshot }: Folding): AsyncGenerator<readonly StoredChange[]> {
  const { run, incarnation } = own;
  const foldedThrough = snapshot?.foldedThrough ?? 0;
  if (snapshot !== undefined) {
    const path = join(run.path, snapshotName(incarnation, snapshot.revision, snapshot.epoch));
    yield* livingIn(parts, path, places, ({ epoch }) => epoch <= foldedThrough);
  }
  for (const journal of sortNames((await parts.platform.list(run.path)) ?? [])?.epochs ?? []) {
    if (journal <= foldedThrough || journal >= own.epoch) continue;
    const path = join(run.path, journalName(incarnation, journal));
    yield* livingIn(parts, path, places, ({ epoch, revision }, found) => epoch === journal && revision === found);
  }
}

/** What of a file lives on. A line that cannot be read is passed over: then the number of entries does not fit. */
async function* livingIn(
  { platform }: Parts,
  path: string,
  places: FrozenPlaces,
  lives: (place: EntryPlace, revision: number) => boolean,
): AsyncGenerator<readonly StoredChange[]> {
  const file = await platform.openToRead(path);
  try {
    for await (const block of linesOf(file)) {
      const living: StoredChange[] = [];
      for (const { bytes, whole } of block) {
        const found = whole ? readLine(bytes) : undefined;
        const [, revision = 0, count] =
          /^(?:(?:save|seal) (\d{1,16})|entries) (\d{1,9})$/.exec(found?.head ?? "") ?? [];
        if (found === undefined || count === undefined) continue;
        for (const change of changesIn({ count: Number(count), bytes: found.rest }) ?? []) {
          const place = change.kind === "put" ? places.get(change.key) : undefined;
          if (place !== undefined && lives(place, Number(revision))) living.push(change);
        }
      }
      yield living;
    }
  } finally {
    await file.close();
  }
}
