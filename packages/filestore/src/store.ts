import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import { headerKey, shownRunId } from "@pulse-ts/durable";
import type { CallOptions, RecordChange, RecordChanges, RunRecord, Session } from "@pulse-ts/durable";
import { conflict, notFound, ownershipLost, unlessAborted, usage } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import { deleteRun, doingWith, lookAt, publishEpoch, whyNotNewest } from "./epoch.ts";
import type { Epoch } from "./epoch.ts";
import { fold } from "./fold.ts";
import { readContent } from "./content.ts";
import { storeError } from "./failure.ts";
import { closeLine, encodeSave, endsInOrder, sealLine } from "./journal.ts";
import { JournalFile } from "./journal-file.ts";
import { journalName, runsFolder, sortNames } from "./layout.ts";
import { keptContents } from "./kept-contents.ts";
import type { KeptContents } from "./kept-contents.ts";
import { foldIsDue, nothingSaved } from "./known.ts";
import type { Known } from "./known.ts";
import { LineMemory } from "./line.ts";
import type { Lock } from "./lock.ts";
import type { Parts } from "./parts.ts";
import { systemCode } from "./platform.ts";
import { readRun, recordOf } from "./read.ts";
import type { Reading } from "./read.ts";

/** The ownership of one run in files. One call is at work at a time; others wait for it. */
export class FileSession implements Session {
  readonly #parts: Parts;
  readonly #lock: Lock;
  readonly #contents: KeptContents;
  readonly #memory = new LineMemory();
  #epoch: Epoch;
  #isNewest: () => boolean;
  #journal: JournalFile;
  /** The last call's work. Never rejects. */
  #work: Promise<unknown> = Promise.resolve();
  /** Calls that are at work or wait for it. */
  #calls = 0;
  #closing: Promise<void> | undefined;
  /** The fold that is at work beside the saves. Never rejects. */
  #folding: Promise<void> | undefined;
  /** What the files hold; absent until they were read. */
  #known: Known | undefined;
  /** Why nothing more is written: a save failed, or a newer owner was seen (FILE-6, STORE-6). */
  #stopped: unknown;
  /** Whether anything but the first line was written to this epoch's journal. */
  #wrote = false;
  /** Whether the names of this epoch's files survive a loss of power already. */
  #namesSynced = false;

  constructor(parts: Parts, lock: Lock, epoch: Epoch, journal: JournalFile) {
    this.#parts = parts;
    this.#lock = lock;
    this.#contents = keptContents(parts);
    this.#epoch = epoch;
    this.#isNewest = lookAt(parts, epoch);
    this.#journal = journal;
    if (epoch.fresh) this.#known = nothingSaved();
  }

  async load(options?: CallOptions): Promise<RunRecord> {
    return await this.#inTurn("loading", options?.signal, async () => {
      const { run, epoch } = this.#epoch;
      await this.#folding;
      const reading = await readRun(this.#parts.platform, run, { ownEpoch: epoch });
      // Before anything is written: of what cannot be read, every file stays as it is.
      const record = reading === undefined || reading.revision === 0 ? undefined : recordOf(run, reading);
      if (reading !== undefined) await this.#takeOver(reading);
      if (record === undefined) throw notFound(run.runId);
      return record;
    });
  }

  async save(next: RunRecord, expectedRevision: number, changes: RecordChanges, options?: CallOptions): Promise<void> {
    await this.#inTurn(
      "saving",
      options?.signal,
      async () => await this.#saveNow(next, expectedRevision, changes, options?.signal),
    );
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
      await this.#folding;
      await this.#letGo();
    });
    await this.#closing;
  }

  /** Does one call after the other. An aborted call is waited for no longer, but its work goes on to its end. */
  async #inTurn<Result>(what: string, signal: AbortSignal | undefined, action: () => Promise<Result>): Promise<Result> {
    this.#refuseClosed(what);
    signal?.throwIfAborted();
    // Most calls come when nothing is at work.
    const work = this.#calls === 0 ? action() : this.#work.then(action);
    this.#calls += 1;
    const end = (): void => void (this.#calls -= 1);
    this.#work = work.then(end, end);
    try {
      return await unlessAborted(work, signal);
    } catch (error) {
      if (signal?.aborted === true && error === signal.reason) throw error;
      throw storeError(doingWith(what, this.#epoch.run), error);
    }
  }

  #refuseClosed(what: string): void {
    if (this.#closing === undefined) return;
    const { run } = this.#epoch;
    throw usage(run.runId, "STORE-2", `${doingWith(what, run).what}: its session is closed; acquire it again`);
  }

  /** Knows from now on what the files hold. */
  async #takeOver(reading: Reading): Promise<void> {
    const first = this.#known === undefined;
    const { revision, places, journalBytes, snapshot, snapshotBytes, settled } = reading;
    this.#known = {
      revision,
      places,
      journalBytes,
      snapshotBytes,
      snapshot: snapshot === undefined ? undefined : { ...snapshot, foldedThrough: 0 },
      settled: this.#known?.settled ?? settled,
    };
    if (first && !settled) await this.#seal(reading);
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
    if (this.#stopped !== undefined) throw this.#stopped;
    // Aborted while it waited for its turn: nothing of it was written.
    signal?.throwIfAborted();
    if (this.#known === undefined) {
      const { run, epoch } = this.#epoch;
      const reading = await readRun(this.#parts.platform, run, { ownEpoch: epoch, wanted: "header" });
      if (reading !== undefined) await this.#takeOver(reading);
    }
    const known = (this.#known ??= nothingSaved());
    this.#compare(next, expectedRevision, known.revision, changes);
    const { changes: stored, contents } = this.#contents.plan(changes);
    const { runId, revision } = next.header;
    const { bytes, weights } = encodeSave(runId, revision, stored, this.#memory);
    try {
      this.#wrote = true;
      if (contents.length > 0) await this.#contents.put(doingWith("saving", this.#epoch.run), contents);
      await this.#append(bytes);
    } catch (error) {
      throw this.#stop("saving", error);
    }
    known.revision = revision;
    known.journalBytes += bytes.length;
    const { epoch } = this.#epoch;
    for (let at = 0; at < stored.length; at += 1) {
      const { kind, key } = stored[at] as RecordChange;
      if (kind === "delete") known.places.delete(key);
      else known.places.put(key, { epoch, revision, weight: weights[at] ?? 0 });
    }
    if (this.#folding === undefined && foldIsDue(known, this.#parts)) await this.#beginFold(known);
  }

  /** Write, sync, look: in this order, what was reported as saved is seen by every later owner (FILE-3). */
  async #append(bytes: Buffer): Promise<void> {
    await this.#journal.append(bytes);
    if (!this.#namesSynced) {
      const { platform, root } = this.#parts;
      await platform.syncFolder("journal-folder-sync", this.#epoch.run.path);
      await platform.syncFolder("journal-folder-sync", runsFolder(root));
      this.#namesSynced = true;
    }
    if (!this.#isNewest()) throw await whyNotNewest(this.#parts, this.#epoch);
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
   * Goes on in a new epoch of its own, so that nothing is added to the journals before it, and folds those (FILE-4) while
   * saves go on. The save before it is confirmed already: what fails here leaves that as it is.
   */
  async #beginFold(known: Known): Promise<void> {
    const { run, incarnation, epoch } = this.#epoch;
    // Whatever comes of it, the next try is due when as much again was saved: so folding never costs more than saving.
    known.journalBytes = 0;
    try {
      const next: Epoch = { ...this.#epoch, epoch: epoch + 1, fresh: false };
      if ((await publishEpoch(this.#parts, next, doingWith("saving", run))) !== "published") {
        this.#stop("saving", ownershipLost(run.runId, epoch));
        return;
      }
      const old = this.#journal;
      const path = join(run.path, journalName(incarnation, next.epoch));
      this.#journal = await JournalFile.open(this.#parts.platform, path, this.#parts.roomFrom);
      this.#epoch = next;
      this.#isNewest = lookAt(this.#parts, next);
      this.#namesSynced = false;
      this.#folding = this.#fold(known);
      await old.close();
    } catch (error) {
      // Should the new epoch be there without being used, it fences this one; the next save finds that out.
      if (!isMediumFailure(error)) throw error;
    }
  }

  /** Never rejects: a fold that the disk refuses leaves everything as it is. */
  async #fold(known: Known): Promise<void> {
    const { revision, snapshot } = known;
    const places = known.places.freeze();
    const { weight } = known.places;
    try {
      const folded = await fold(this.#parts, { own: this.#epoch, revision, places, snapshot });
      if (folded === undefined) return;
      known.snapshot = folded;
      known.snapshotBytes = weight;
    } catch (error) {
      if (!isMediumFailure(error)) this.#stop("saving", error);
    } finally {
      places.release();
      this.#folding = undefined;
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
          await this.#journal.finish(closeLine(this.#known?.revision ?? 0));
        } else if (await this.#nothingToFence()) {
          // Nothing was saved, and no older owner can come back: this epoch need not have been.
          await platform.unlink("journal-withdraw", join(run.path, journalName(incarnation, epoch)));
        }
      }
    } catch (error) {
      if (!isMediumFailure(error)) throw error;
    } finally {
      await this.#closeAndRelease();
    }
  }

  async #closeAndRelease(): Promise<void> {
    try {
      await this.#journal.close();
    } catch (error) {
      throw storeError(doingWith("closing", this.#epoch.run), error);
    } finally {
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
