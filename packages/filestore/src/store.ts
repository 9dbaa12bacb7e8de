import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import { headerKey, shownRunId } from "@pulse-ts/durable";
import type { CallOptions, RecordChanges, RunRecord, Session } from "@pulse-ts/durable";
import { unlessAborted } from "./abort.ts";
import { deleteRun, doingWith, isNewest, publishEpoch, whyNotNewest } from "./epoch.ts";
import type { Epoch } from "./epoch.ts";
import { readContent } from "./content.ts";
import { conflict, notFound, ownershipLost, storeError, usage } from "./failure.ts";
import type { Doing } from "./failure.ts";
import { appendSynced, closeLine, encodeSave, endsInOrder, sealLine } from "./journal.ts";
import { journalName, runsFolder, sortNames } from "./layout.ts";
import { keptContents } from "./kept-contents.ts";
import type { KeptContents } from "./kept-contents.ts";
import type { Lock } from "./lock.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";
import { readRun, recordOf } from "./read.ts";
import type { Reading } from "./read.ts";
import { removeOld } from "./remove.ts";
import { writeSnapshot } from "./snapshot.ts";

/** The ownership of one run in files. One call is at work at a time; others wait for it. */
export class FileSession implements Session {
  readonly #parts: Parts;
  readonly #lock: Lock;
  readonly #contents: KeptContents;
  #epoch: Epoch;
  #file: FileHandle;
  /** The last call's work. Never rejects. */
  #work: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** What the files hold; absent until they were read. */
  #known: Known | undefined;
  /** Why nothing more is written: a save failed, or a newer owner was seen (FILE-6, STORE-6). */
  #stopped: unknown;
  /** Whether anything but the first line was written to this epoch's journal. */
  #wrote = false;
  /** Whether the names of this epoch's files survive a loss of power already. */
  #namesSynced = false;

  constructor(parts: Parts, lock: Lock, epoch: Epoch, file: FileHandle) {
    this.#parts = parts;
    this.#lock = lock;
    this.#contents = keptContents(parts);
    this.#epoch = epoch;
    this.#file = file;
    if (epoch.fresh) this.#known = { revision: 0, weights: new Map(), weight: 0, journalBytes: 0, settled: true };
  }

  async load(options?: CallOptions): Promise<RunRecord> {
    return await this.#inTurn("loading", options?.signal, async () => {
      const reading = await this.#read();
      if (reading === undefined || reading.revision === 0) throw notFound(this.#epoch.run.runId);
      return recordOf(this.#epoch.run, reading);
    });
  }

  async save(next: RunRecord, expectedRevision: number, changes: RecordChanges, options?: CallOptions): Promise<void> {
    await this.#inTurn("saving", options?.signal, async () => {
      if (this.#stopped !== undefined) throw this.#stopped;
      // Aborted while it waited for its turn: nothing of it was written.
      options?.signal?.throwIfAborted();
      await this.#saveNow(next, expectedRevision, changes, options?.signal);
    });
  }

  async content(digest: string, options?: CallOptions): Promise<Uint8Array> {
    const { run } = this.#epoch;
    const doing = doingWith("reading a content of", run);
    this.#refuseClosed("reading a content of");
    options?.signal?.throwIfAborted();
    // Not in turn: no save changes a content, and many are read at once.
    return await unlessAborted(contentOrError(this.#parts, doing, digest), options?.signal);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#work.then(async () => {
      await this.#letGo();
    });
    await this.#closing;
  }

  /** Does one call after the other. An aborted call is waited for no longer, but its work goes on to its end. */
  async #inTurn<Result>(what: string, signal: AbortSignal | undefined, action: () => Promise<Result>): Promise<Result> {
    const { run } = this.#epoch;
    this.#refuseClosed(what);
    signal?.throwIfAborted();
    const work = this.#work.then(async () => {
      try {
        return await action();
      } catch (error) {
        throw storeError(doingWith(what, run), error);
      }
    });
    this.#work = work.catch(() => undefined);
    return await unlessAborted(work, signal);
  }

  #refuseClosed(what: string): void {
    if (this.#closing === undefined) return;
    const { run } = this.#epoch;
    throw usage(run.runId, "STORE-2", `${doingWith(what, run).what}: its session is closed; acquire it again`);
  }

  async #read(): Promise<Reading | undefined> {
    const { run, epoch } = this.#epoch;
    const reading = await readRun(this.#parts.platform, run, epoch);
    if (reading === undefined) return undefined;
    const first = this.#known === undefined;
    this.#known = {
      revision: reading.revision,
      weights: new Map(Array.from(reading.entries, ([key, { weight }]) => [key, weight])),
      weight: reading.weight,
      journalBytes: reading.journalBytes,
      settled: this.#known?.settled ?? reading.settled,
    };
    if (first && !reading.settled) await this.#seal(reading);
    return reading;
  }

  /** Fixes what this owner found, before anybody builds on it. */
  async #seal({ revision, tail }: Reading): Promise<void> {
    try {
      this.#wrote = true;
      await this.#append(sealLine(revision, tail));
    } catch (error) {
      this.#known = undefined;
      throw this.#stop("loading", error);
    }
  }

  async #saveNow(
    next: RunRecord,
    expectedRevision: number,
    changes: RecordChanges,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (this.#known === undefined) await this.#read();
    const known = (this.#known ??= { revision: 0, weights: new Map(), weight: 0, journalBytes: 0, settled: true });
    this.#compare(next, expectedRevision, known.revision, changes);
    const { changes: stored, contents } = this.#contents.plan(changes);
    const { bytes, weights } = encodeSave(next.header.revision, stored);
    try {
      this.#wrote = true;
      if (contents.length > 0) await this.#contents.put(doingWith("saving", this.#epoch.run), contents);
      await this.#append(bytes);
    } catch (error) {
      throw this.#stop("saving", error);
    }
    known.revision = next.header.revision;
    known.journalBytes += bytes.length;
    for (const [key, weight] of weights) {
      known.weight += weight - (known.weights.get(key) ?? 0);
      if (weight === 0) known.weights.delete(key);
      else known.weights.set(key, weight);
    }
    const due = known.journalBytes >= Math.max(known.weight, this.#parts.foldBytesMin);
    // Of an aborted call the record is the caller's again.
    if (due && signal?.aborted !== true) await this.#fold(next, known, signal);
  }

  /** Write, sync, look: in this order, what was reported as saved is seen by every later owner (FILE-3). */
  async #append(bytes: Buffer): Promise<void> {
    const { platform, root } = this.#parts;
    await appendSynced(platform, this.#file, bytes);
    if (!this.#namesSynced) {
      await platform.syncFolder("journal-folder-sync", this.#epoch.run.path);
      await platform.syncFolder("journal-folder-sync", runsFolder(root));
      this.#namesSynced = true;
    }
    if (!isNewest(this.#parts, this.#epoch)) throw await whyNotNewest(this.#parts, this.#epoch);
  }

  #compare(next: RunRecord, expected: number, found: number, changes: RecordChanges): void {
    const { runId } = this.#epoch.run;
    const { header } = next;
    if (header.runId !== runId) throw conflict(runId, "run id", runId, header.runId);
    if (expected !== found) throw conflict(runId, "revision", expected, found);
    if (header.revision !== expected + 1 || !Number.isSafeInteger(header.revision)) {
      throw conflict(runId, "next revision", expected + 1, header.revision);
    }
    if (found === 0 && !changes.some(({ key, kind }) => key === headerKey && kind === "put")) {
      throw usage(
        runId,
        "REC-27",
        `saving run "${shownRunId(runId)}": the changes of its first save do not put the header`,
      );
    }
  }

  /**
   * Folds the journals into a snapshot (FILE-4) and goes on in a new epoch of its own. The save before it is confirmed
   * already: what fails here leaves that as it is, and the journal in use.
   */
  async #fold(record: RunRecord, known: Known, signal: AbortSignal | undefined): Promise<void> {
    const { platform } = this.#parts;
    const { run, incarnation, epoch } = this.#epoch;
    // Whatever comes of it, the next try is due when as much again was saved: so folding never costs more than saving.
    known.journalBytes = 0;
    try {
      const { stored } = this.#contents;
      if (!(await writeSnapshot(this.#parts, { run, incarnation, epoch }, record, { stored, signal }))) return;
      const next: Epoch = { ...this.#epoch, epoch: epoch + 1, fresh: false };
      if ((await publishEpoch(this.#parts, next, doingWith("saving", run))) !== "published") {
        this.#stop("saving", ownershipLost(this.#epoch.run.runId, this.#epoch.epoch));
        return;
      }
      const old = this.#file;
      this.#file = await platform.openToAppend(join(run.path, journalName(incarnation, next.epoch)));
      this.#epoch = next;
      this.#namesSynced = false;
      await old.close();
      await removeOld(this.#parts, next);
    } catch (error) {
      // Should the new epoch be there without being used, it fences this one; the next save finds that out.
      if (!isMediumFailure(error)) throw error;
    }
  }

  /** Ends all writing and gives the error that every later save gets. */
  #stop(what: string, cause: unknown): unknown {
    this.#stopped = storeError(doingWith(what, this.#epoch.run), cause);
    return this.#stopped;
  }

  /** Whether no older owner can come back. Of a run that could not be read, too: a refused load leaves no epoch behind. */
  async #nothingToFence(): Promise<boolean> {
    if (this.#known !== undefined) return this.#known.settled;
    const { run, incarnation, epoch, alone } = this.#epoch;
    if (alone) return true;
    const before = sortNames((await this.#parts.platform.list(run.path)) ?? [])?.epochs.findLast((old) => old < epoch);
    return before === undefined || (await endsInOrder(this.#parts.platform, run, incarnation, before));
  }

  /** Lets go as well as the disk allows: whatever fails here, the lock's absence or this process's end says it too. */
  async #letGo(): Promise<void> {
    const { platform } = this.#parts;
    const { run, incarnation, epoch } = this.#epoch;
    try {
      if (this.#stopped === undefined) {
        if (this.#known?.revision === 0 && !this.#wrote) {
          await deleteRun(this.#parts, this.#epoch, doingWith("closing", run));
        } else if (this.#wrote) {
          await platform.write("journal-close", this.#file, closeLine(this.#known?.revision ?? 0));
        } else if (await this.#nothingToFence()) {
          // Nothing was saved, and no older owner can come back: this epoch need not have been.
          await platform.unlink("journal-withdraw", join(run.path, journalName(incarnation, epoch)));
        }
      }
    } catch (error) {
      if (!isMediumFailure(error)) throw error;
    } finally {
      await this.#file.close();
      await this.#lock.release();
    }
  }
}

async function contentOrError(parts: Parts, doing: Doing, digest: string): Promise<Uint8Array> {
  try {
    return await readContent(parts, doing, digest);
  } catch (error) {
    throw storeError(doing, error);
  }
}

const isMediumFailure = (error: unknown): boolean => isPulseError(error) || systemCode(error) !== undefined;

interface Known {
  revision: number;
  /** What each entry would take in a snapshot. */
  weights: Map<string, number>;
  weight: number;
  journalBytes: number;
  readonly settled: boolean;
}
