import { join } from "node:path";
import { PulseError } from "@pulse-ts/core";
import { shownRunId } from "@pulse-ts/durable";
import { describeHolder, judge, ownershipLost, refusal } from "@pulse-ts/durable/define-store";
import type { Doing, Holder } from "@pulse-ts/durable/define-store";
import { endsInOrder, headLine, readHead } from "./journal.ts";
import type { EpochHead } from "./journal.ts";
import { journalName, locksFolder, markName, newFolder, newIncarnation, newToken, sortNames } from "./layout.ts";
import type { EpochPlace, Listing, RunFolder } from "./layout.ts";
import { isHeldHere, lockPath, lockState } from "./lock.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";
import { removeRest, removeRun } from "./remove.ts";
import { linkRefused } from "./root.ts";
import { refuseUnmarked } from "./unmarked.ts";

/** One epoch of a run: whoever created its journal owns the run until a newer one is created (FILE-3). */
export interface Epoch extends EpochPlace {
  readonly token: string;
  /** True when the run's folder was made with it: there was nothing before. */
  readonly fresh: boolean;
  /** True when it is certain that no older owner can come back: its process has ended, or there was none. */
  readonly alone: boolean;
}

export interface TakeRequest {
  readonly run: RunFolder;
  /** The new owner's lock, held already. */
  readonly token: string;
  readonly doing: Doing;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Becomes the run's next owner, or gives up at once: of several that try, exactly one succeeds (FILE-3).
 * @throws PULSE_BUSY when somebody owns the run or was faster; PULSE_CORRUPT, PULSE_NEWER_FORMAT, PULSE_STORE
 */
export async function takeEpoch(parts: Parts, request: TakeRequest): Promise<Epoch> {
  const { run, doing, signal } = request;
  for (let round = 0; round < roundsMax; round += 1) {
    signal?.throwIfAborted();
    const taken = await tryToTake(parts, request);
    if (taken !== undefined) return taken;
  }
  throw refusal(
    doing,
    `the run's folder was replaced ${roundsMax} times meanwhile, or holds files of others: ${run.path}`,
  );
}

/** How often taking begins anew because the folder was removed or made by somebody else in the same moment. */
const roundsMax = 50;

async function tryToTake(parts: Parts, request: TakeRequest): Promise<Epoch | undefined> {
  const { platform } = parts;
  const { run, token } = request;
  const names = await platform.list(run.path);
  const listing = names === undefined ? undefined : sortNames(names);
  if (listing === undefined) {
    if (names !== undefined) {
      await refuseUnmarked(platform, run, names);
      await removeRest(parts, run, names);
    }
    return await createRun(parts, request);
  }
  const { incarnation, newestEpoch } = listing;
  const holds = await whoHolds(parts, run, listing);
  if (holds === "replaced") return undefined;
  if (holds === "deleted") {
    await removeRun(parts, run, listing);
    return undefined;
  }
  if (holds !== "nobody" && holds !== "nobody ever") throw busy(request.doing, describeHolder(holds.holder));
  const alone = holds === "nobody ever";
  const next: Epoch = { run, incarnation, epoch: newestEpoch + 1, token, fresh: false, alone };
  const published = await publishEpoch(parts, next, request.doing);
  if (published === "taken") throw busy(request.doing);
  if (published === "gone") return undefined;
  // The folder may have been removed in between, and this journal stand in another one: then it counts for nothing.
  if (platform.exists(join(run.path, markName(incarnation)))) return next;
  await platform.unlink("epoch-withdraw", join(run.path, journalName(incarnation, next.epoch))).catch(() => undefined);
  return undefined;
}

const busy = (doing: Doing, holder?: string): PulseError<"PULSE_BUSY"> =>
  new PulseError(
    "PULSE_BUSY",
    `${doing.what}: ${holder ?? "somebody who was faster"} owns it; try again when that one has let go`,
    { details: { runId: doing.runId, next: "later", ...(holder === undefined ? {} : { holder }) } },
  );

/** Judges the owner of the newest epoch (FILE-5). */
async function whoHolds(
  parts: Parts,
  run: RunFolder,
  { incarnation, epochs, snapshots }: Listing,
): Promise<"nobody" | "nobody ever" | "deleted" | "replaced" | EpochHead> {
  const newest = epochs.at(-1);
  if (newest === undefined) return snapshots.length === 0 ? "deleted" : "nobody ever";
  let head: EpochHead | undefined;
  try {
    head = await readHead(parts.platform, run, incarnation, newest);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "replaced";
    throw error;
  }
  // Published whole and read back torn: the system went down in between, and its owner with it.
  if (head === undefined) return "nobody ever";
  if (head.deleted) return "deleted";
  const gone = await isGone(parts, head, await parts.holder());
  if (gone === "no") return head;
  // An owner that had nothing to save takes its epoch back before it lets go. So an epoch that is still there now stays,
  // and the next one can be built on it; else two contenders could follow two different epochs.
  return parts.platform.exists(join(run.path, journalName(incarnation, newest)))
    ? gone === "for good"
      ? "nobody ever"
      : "nobody"
    : "replaced";
}

/** `for good`: it can never write again. */
async function isGone(parts: Parts, head: EpochHead, self: Holder): Promise<"no" | "let go" | "stale" | "for good"> {
  const locks = locksFolder(parts.root);
  // Nobody is left who would remove it; of an owner that may come back it is left to that one.
  const sweep = async (): Promise<void> =>
    await parts.platform.removeFolder("lock-sweep", lockPath(locks, head.token)).catch(() => undefined);
  if (head.holder.instance === self.instance) {
    if (isHeldHere(head.token)) return "no";
    await sweep();
    return "for good";
  }
  const lock = await lockState(parts.platform, locks, head.token, parts.staleMs);
  const verdict = await judge(head.holder, self, parts.probe);
  if (lock === "absent") return verdict === "dead" ? "for good" : "let go";
  const gone = verdict === "dead" ? "for good" : verdict === "unknown" && lock === "stale" ? "stale" : "no";
  if (verdict === "dead") await sweep();
  return gone;
}

/**
 * The token of the owner that may still save to this run; `undefined` when nobody may. One that cannot be judged and
 * looks stale may come back, unless somebody has taken its run: it counts as there. Rather once too often than once too
 * seldom.
 */
export async function openOwner(parts: Parts, run: RunFolder): Promise<string | undefined> {
  const { platform } = parts;
  for (let round = 0; round < roundsMax; round += 1) {
    const listing = sortNames((await platform.list(run.path)) ?? []);
    const newest = listing?.epochs.at(-1);
    if (listing === undefined || newest === undefined) return undefined;
    try {
      const head = await readHead(platform, run, listing.incarnation, newest);
      if (head === undefined || head.deleted) return undefined;
      const gone = await isGone(parts, head, await parts.holder());
      if (gone === "let go" || gone === "for good") return undefined;
      const closed = gone === "stale" && (await endsInOrder(platform, run, listing.incarnation, newest));
      return closed ? undefined : head.token;
    } catch (error) {
      // Folded or deleted meanwhile.
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
  throw refusal(doingWith("looking for the owner of", run), `its files changed ${roundsMax} times; try again`);
}

/** Makes the run's folder with its first epoch in it, as one step: it appears whole, and for one contender only. */
async function createRun(parts: Parts, { run, token }: TakeRequest): Promise<Epoch | undefined> {
  const { platform, root } = parts;
  const incarnation = newIncarnation();
  const first: Epoch = { run, incarnation, epoch: 1, token, fresh: true, alone: true };
  const staged = join(newFolder(root), token);
  const journal = join(staged, journalName(incarnation, 1));
  const mark = join(staged, markName(incarnation));
  await platform.makeFolder("run-stage", staged);
  try {
    await writeHead(parts, journal, first);
    await (await platform.createFile("run-mark-create", mark)).close();
    await platform.rename("run-publish", staged, run.path);
    return first;
  } catch (error) {
    await platform.unlink("run-unstage-file", journal).catch(() => undefined);
    await platform.unlink("run-unstage-file", mark).catch(() => undefined);
    await platform.removeFolder("run-unstage", staged).catch(() => undefined);
    const code = systemCode(error);
    // Windows calls a folder that is there already forbidden.
    const taken = code === "ENOTEMPTY" || code === "EEXIST" || (code === "EPERM" && platform.exists(run.path));
    if (taken) return undefined;
    throw error;
  }
}

/**
 * Creates the journal of the epoch, its first line in it. `taken` when somebody else created it first: the link is
 * what decides. `gone` when the run's folder was removed meanwhile. It need not survive a loss of power, for neither does its owner; the first save sees to that.
 */
export async function publishEpoch(
  parts: Parts,
  epoch: Epoch,
  doing: Doing,
  deleted = false,
): Promise<"published" | "taken" | "gone"> {
  const { platform, root } = parts;
  const staged = join(newFolder(root), newToken());
  try {
    await writeHead(parts, staged, epoch, deleted);
    await platform.link("epoch-publish", staged, join(epoch.run.path, journalName(epoch.incarnation, epoch.epoch)));
    return "published";
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return "taken";
    if (code === "ENOENT" && platform.exists(staged)) return "gone";
    throw linkRefused(doing, error);
  } finally {
    await platform.unlink("epoch-unstage", staged).catch(() => undefined);
  }
}

async function writeHead(parts: Parts, path: string, epoch: Epoch, deleted = false): Promise<void> {
  const head: EpochHead = {
    runId: epoch.run.runId,
    epoch: epoch.epoch,
    token: epoch.token,
    holder: await parts.holder(),
    deleted,
  };
  const file = await parts.platform.createFile("epoch-create", path);
  try {
    await parts.platform.write("epoch-write", file, headLine(head));
    // The end of a run must be on disk before the first of its files goes.
    if (deleted) await parts.platform.sync("tombstone-sync", file);
  } finally {
    await file.close();
  }
}

/**
 * Looks whether this epoch is still the newest one (STORE-6, FILE-3): first that the next is not there, then that
 * this one still is. Old journals are removed in their order, so while this one is there the next was never removed.
 */
export function isNewest(parts: Parts, epoch: EpochPlace): boolean {
  return lookAt(parts, epoch)();
}

/** The same, for who looks again and again. */
export function lookAt({ platform }: Parts, { run, incarnation, epoch }: EpochPlace): () => boolean {
  const next = join(run.path, journalName(incarnation, epoch + 1));
  const own = join(run.path, journalName(incarnation, epoch));
  return () => !platform.exists(next) && platform.remains(own);
}

/** Tells a newer owner from files that somebody removed under this one. */
export async function whyNotNewest(parts: Parts, { run, incarnation, epoch }: Epoch): Promise<PulseError> {
  const listing = sortNames((await parts.platform.list(run.path)) ?? []);
  if (listing !== undefined && (listing.incarnation !== incarnation || listing.newestEpoch > epoch)) {
    return ownershipLost(run.runId, epoch);
  }
  return refusal(
    doingWith("saving", run),
    "the run's files are gone: somebody removed them or deleted the run; put them back, or start the run anew",
  );
}

/**
 * Ends the run: one step decides, what follows only cleans up and may be done by anybody, any number of times.
 * `false` when a newer owner came first: then nothing has changed.
 */
export async function deleteRun(parts: Parts, owned: Epoch, doing: Doing): Promise<boolean> {
  const { platform } = parts;
  const { run } = owned;
  const last: Epoch = { ...owned, epoch: owned.epoch + 1 };
  if ((await publishEpoch(parts, last, doing, true)) !== "published") return false;
  await platform.syncFolder("tombstone-folder-sync", run.path);
  const listing = sortNames((await platform.list(run.path)) ?? []);
  if (listing?.incarnation === owned.incarnation) await removeRun(parts, run, listing);
  return true;
}

/** A run as messages name it. */
export const doingWith = (what: string, run: RunFolder): Doing => ({
  what: `${what} run "${shownRunId(run.runId)}"`,
  runId: run.runId,
  medium: run.path,
});
