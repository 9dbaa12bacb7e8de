import { join } from "node:path";
import { isPulseError, PulseError } from "@pulse-ts/core";
import { catalogPageDefault, shownRunId } from "@pulse-ts/durable";
import type { Catalog, CatalogPage, CatalogQuery, CatalogRun } from "@pulse-ts/durable";
import { checkOptions, countOptions, listOptions, notFound } from "@pulse-ts/durable/define-store";
import type { CountQuery } from "@pulse-ts/durable/define-store";
import { readContent } from "./content.ts";
import { deleteRun, doingWith } from "./epoch.ts";
import { storeError } from "./failure.ts";
import { readHead } from "./journal.ts";
import { isHashedName, runFolder, runIdOfName, runsFolder, snapshotName, sortNames } from "./layout.ts";
import type { RunFolder } from "./layout.ts";
import { own } from "./owner.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";
import { headerOf, readRun, recordOf } from "./read.ts";
import type { Reading } from "./read.ts";
import { isRoot } from "./root.ts";
import { readSnapshotRunId } from "./snapshot.ts";

/** Lists, reads, counts and deletes runs without owning them (STORE-7). Makes nothing on disk. */
export function fileCatalog(parts: Parts): Catalog {
  return {
    async list(query = {}) {
      checkOptions<CatalogQuery>("listing runs", query, listOptions);
      return await guarded(parts, async () => await listPage(parts, query));
    },
    async read(runId) {
      const run = runFolder(parts.root, runId);
      try {
        await isRoot(parts, doingWith("reading", run));
        const reading = await readRun(parts.platform, run);
        if (!isSaved(reading)) throw notFound(runId);
        return recordOf(run, reading);
      } catch (error) {
        throw storeError(doingWith("reading", run), error);
      }
    },
    async content(runId, digest) {
      const run = runFolder(parts.root, runId);
      const doing = doingWith("reading a content of", run);
      try {
        await isRoot(parts, doing);
        return await readContent(parts, doing, digest);
      } catch (error) {
        throw storeError(doing, error);
      }
    },
    async delete(runId) {
      const run = runFolder(parts.root, runId);
      const doing = doingWith("deleting", run);
      try {
        if (!(await isRoot(parts, doing)) || (await parts.platform.list(run.path)) === undefined) return;
        const { epoch, lock } = await own(parts, run, doing);
        try {
          // A newer owner can only have come by a stale lock; the run is that one's now.
          if (!(await deleteRun(parts, epoch, doing))) throw overtaken(runId);
        } finally {
          await lock.release();
        }
      } catch (error) {
        throw storeError(doing, error);
      }
    },
    async count(query = {}) {
      checkOptions<CountQuery>("counting runs", query, countOptions);
      return await guarded(parts, async () => {
        let count = 0;
        for await (const run of savedRuns(parts, query)) if (run !== undefined) count += 1;
        return count;
      });
    },
  };
}

async function guarded<Result>(parts: Parts, action: () => Promise<Result>): Promise<Result> {
  const doing = { what: "listing runs", runId: "", medium: parts.root };
  try {
    await isRoot(parts, doing);
    return await action();
  } catch (error) {
    throw storeError(doing, error);
  }
}

async function listPage(parts: Parts, query: CatalogQuery): Promise<CatalogPage> {
  const limit = query.limit ?? catalogPageDefault;
  const runs: CatalogRun[] = [];
  for await (const run of savedRuns(parts, query)) {
    // One more than fits tells that there is a next page.
    if (runs.length === limit) return { runs, next: runs[limit - 1]!.runId };
    runs.push(run);
  }
  return { runs };
}

/** Every run that fits the query, in ascending order of run id; only these are read. */
async function* savedRuns(parts: Parts, query: CatalogQuery): AsyncGenerator<CatalogRun> {
  const { status, prefix = "", after } = query;
  for (const { runId, problem } of await runNames(parts)) {
    if (!runId.startsWith(prefix) || (after !== undefined && runId <= after)) continue;
    const run =
      problem === undefined ? await describe(parts, runFolder(parts.root, runId)) : unreadable(runId, problem);
    if (run !== undefined && (status === undefined || run.status === status)) yield run;
  }
}

/** The folders of all runs; one whose id cannot be told has a problem. */
export async function runFolders(parts: Parts): Promise<readonly (RunFolder & { readonly problem?: string })[]> {
  return (await runNames(parts)).map(({ runId, problem }) =>
    problem === undefined
      ? runFolder(parts.root, runId)
      : { runId, path: join(runsFolder(parts.root), runId), problem },
  );
}

interface RunName {
  readonly runId: string;
  /** Why the run id is not known; then the folder's name stands for it. */
  readonly problem?: string;
}

async function runNames(parts: Parts): Promise<readonly RunName[]> {
  const found: RunName[] = [];
  for (const name of (await parts.platform.list(runsFolder(parts.root))) ?? []) {
    const runId = runIdOfName(name);
    if (runId !== undefined) found.push({ runId });
    else if (isHashedName(name)) found.push(...(await nameInside(parts, name)));
  }
  return found.sort((a, b) => (a.runId < b.runId ? -1 : 1));
}

/**
 * The id of a run whose folder's name is a digest of it; nothing when there is no run (any more). A file that goes away
 * meanwhile was folded or taken back: the run is there all the same, so looking begins anew.
 */
async function nameInside(parts: Parts, name: string): Promise<readonly RunName[]> {
  const path = join(runsFolder(parts.root), name);
  for (let round = 0; round < roundsMax; round += 1) {
    try {
      return await nameIn(parts, name, path);
    } catch (error) {
      if (systemCode(error) === "ENOENT") continue;
      const failure = storeError({ what: "listing runs", runId: "", medium: path }, error);
      if (!isPulseError(failure)) throw error;
      return [{ runId: name, problem: failure.message }];
    }
  }
  return [
    { runId: name, problem: `listing runs: its files changed ${roundsMax} times while they were read; at ${path}` },
  ];
}

/** How often looking begins anew, as in reading a run. */
const roundsMax = 100;

async function nameIn({ platform }: Parts, name: string, path: string): Promise<readonly RunName[]> {
  const listing = sortNames((await platform.list(path)) ?? []);
  if (listing === undefined) return [];
  const { incarnation, epochs, snapshots } = listing;
  // A journal that was never saved to may have lost its first line; one before it or a snapshot holds what was saved.
  for (const epoch of epochs.toReversed()) {
    const head = await readHead(platform, { path }, incarnation, epoch);
    if (head !== undefined) return [{ runId: head.runId }];
  }
  const snapshot = snapshots.at(-1);
  if (snapshot === undefined) return [];
  const file = join(path, snapshotName(incarnation, snapshot.revision, snapshot.epoch));
  const runId = await readSnapshotRunId(platform, file);
  return [runId === undefined ? { runId: name, problem: `${file}:1 is damaged` } : { runId }];
}

/** One line of the list. A record that cannot be read is told as such, and does not hide the others. */
async function describe({ platform }: Parts, run: RunFolder): Promise<CatalogRun | undefined> {
  try {
    const reading = await readRun(platform, run, { wanted: "header" });
    if (!isSaved(reading)) return undefined;
    const { status, revision, version, resumes } = headerOf(run, reading);
    return { runId: run.runId, status, revision, version, resumes };
  } catch (error) {
    const failure = storeError(doingWith("reading", run), error);
    if (!isPulseError(failure)) throw error;
    return unreadable(run.runId, failure.message);
  }
}

const unreadable = (runId: string, problem: string): CatalogRun => ({
  runId,
  status: "running",
  revision: 0,
  version: "",
  resumes: 0,
  problem,
});

const isSaved = (reading: Reading | undefined): reading is Reading =>
  reading !== undefined && !reading.deleted && reading.revision > 0;

const overtaken = (runId: string): PulseError<"PULSE_BUSY"> =>
  new PulseError(
    "PULSE_BUSY",
    `deleting run "${shownRunId(runId)}": somebody took it over meanwhile; try again later`,
    {
      details: { runId, next: "later" },
    },
  );
