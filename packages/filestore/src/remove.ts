import { join } from "node:path";
import { journalName, markName, snapshotName, sortNames } from "./layout.ts";
import type { EpochPlace, Listing, RunFolder } from "./layout.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";

/** Removes what a newer snapshot has taken in: journals in the order of their epochs, as `isNewest` needs. */
export async function removeOld(parts: Parts, { run, incarnation, epoch }: EpochPlace): Promise<void> {
  const listing = sortNames((await parts.platform.list(run.path)) ?? []);
  if (listing?.incarnation !== incarnation) return;
  const { epochs, snapshots } = listing;
  for (const old of epochs.filter((found) => found < epoch))
    await removeFile(parts, run, journalName(incarnation, old));
  for (const old of snapshots.slice(0, -1)) {
    await removeFile(parts, run, snapshotName(incarnation, old.revision, old.epoch));
  }
}

/** Removes the files of a run that has ended: the epoch that says so goes after all it speaks of, the mark last. */
export async function removeRun(parts: Parts, run: RunFolder, listing: Listing): Promise<void> {
  const { incarnation, epochs, snapshots } = listing;
  for (const { revision, epoch } of snapshots) await removeFile(parts, run, snapshotName(incarnation, revision, epoch));
  for (const epoch of epochs) await removeFile(parts, run, journalName(incarnation, epoch));
  // A loss of power must not leave what was saved without the mark: that would be damage (FILE-2).
  if (snapshots.length > 0 || epochs.length > 1) await syncRemoval(parts, run);
  await removeFile(parts, run, markName(incarnation));
  await removeRest(parts, run, (await parts.platform.list(run.path)) ?? []);
}

/** Removes a folder without a mark: it was a run's, and nothing in it counts any more. Files of others stay. */
export async function removeRest(parts: Parts, run: RunFolder, names: readonly string[]): Promise<void> {
  if (sortNames(names) !== undefined) return;
  for (const name of names) {
    if (/^(journal|snapshot)-[0-9a-f]{16}-/.test(name)) await removeFile(parts, run, name);
  }
  try {
    await parts.platform.removeFolder("run-remove", run.path);
  } catch (error) {
    // Somebody made a new run there, or removed it first; both are well.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(systemCode(error) ?? "")) throw error;
  }
}

async function syncRemoval({ platform }: Parts, run: RunFolder): Promise<void> {
  try {
    await platform.syncFolder("run-remove-sync", run.path);
  } catch (error) {
    // Somebody else has removed it to its end.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

async function removeFile({ platform }: Parts, run: RunFolder, name: string): Promise<void> {
  try {
    await platform.unlink("old-file-remove", join(run.path, name));
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
