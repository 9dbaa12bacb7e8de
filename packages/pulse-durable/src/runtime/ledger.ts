import { PulseError } from "@pulse-ts/core";
import type { Host } from "@pulse-ts/core";
import { inCurrentFormat, upgradeChanges } from "../record/format-1.ts";
import { recordFormat } from "../record/format.ts";
import type { RecordChanges, RunRecord, StreamEntry } from "../record/format.ts";
import { liveRecord } from "../record/live-record.ts";
import type { RunView } from "../record/live-record.ts";
import { packEntry } from "../record/packed-entry.ts";
import { shownRunId } from "../run-id.ts";
import type { Session } from "../store.ts";
import { countResume } from "../transition/count-resume.ts";
import type { OpenAttempt, OpenedAttempt } from "../transition/open-attempt.ts";
import { openAttempt } from "../transition/open-attempt.ts";
import { raiseGenerations } from "../transition/raise-generations.ts";
import { repairEnds } from "../transition/repair-ends.ts";
import { isVoid } from "../transition/stream-ref.ts";
import { commitQueue } from "./commit-queue.ts";
import type { CommitQueue, Waiter } from "./commit-queue.ts";
import type { RunEvents } from "./run-events.ts";

/** What a ledger is made of. */
export interface LedgerParts {
  readonly session: Session;
  /** As it was loaded or first saved; the ledger's from now on. */
  readonly record: RunRecord;
  /** The session continues a run: its first save counts the resume (DUR-28). */
  readonly resumed: boolean;
  readonly host: Host;
  readonly events: RunEvents;
}

/** The one writer of a run's record in this process: what is confirmed, and the saves that move it (DUR-2). */
export interface Ledger extends Pick<CommitQueue, "submit" | "stop" | "stopped" | "whenStopped"> {
  /** What is confirmed. */
  readonly view: RunView;
  /** Recognises or makes an attempt; one that is new waits for the first save that depends on it (DUR-10). */
  openAttempt(request: OpenAttempt): OpenedAttempt;
  /** The generation of a source as this process knows it: its resume raises what is open, once (STR-21). */
  generationOf(entry: StreamEntry): number;
  /** The record has failed ends only in part (STR-26). */
  readonly needsRepair: boolean;
  /** Saves what it lacks of them, by itself. @throws whatever the store throws */
  repair(): Promise<void>;
  /**
   * Saves the count of this resume by itself, before anything runs; without it the count goes with the first save (DUR-28).
   * @throws PULSE_RESUME_LIMIT (DUR-11); whatever the store throws
   */
  countResume(maxResumes: number): Promise<void>;
  /**
   * Ends the session, once. A save still in flight is aborted and its waiters are uncertain (DUR-27); waits for the
   * store to give up the run.
   */
  close(): Promise<void>;
}

/** Begins the writing of a run that the session owns. */
export function openLedger({ session, record, resumed, host, events }: LedgerParts): Ledger {
  const live = liveRecord(inCurrentFormat(record));
  /** A record of an older format, until the first save has upgraded it (REC-28). */
  let older = record.header.format < recordFormat ? record : undefined;
  /** Aborted only when the run ends while a save is in flight (DUR-27); so one serves all saves. */
  const ending = new AbortController();
  const call = { signal: ending.signal };
  let saving = false;
  let closing: Promise<void> | undefined;
  let resumeCounted = !resumed;
  let raised = !resumed;

  const save = async (batch: readonly Waiter[]): Promise<void> => {
    const draft = live.draft();
    const carried: { readonly waiter: Waiter; readonly result: unknown }[] = [];
    let changed = false;
    if (!raised) {
      const repaired = repairEnds(draft.view).changes;
      changed = repaired.length > 0;
      draft.add(repaired);
      // Before any change is decided: each knows the generation that core was given with the plan (STR-21).
      draft.add(raiseGenerations(draft.view).changes);
    }
    for (const waiter of batch) {
      try {
        const { changes, result } = waiter.decide(draft.view);
        draft.add(changes);
        changed ||= changes.length > 0;
        carried.push({ waiter, result });
      } catch (error) {
        waiter.refuse(error);
      }
    }
    // Neither a raised generation nor the count of the resume is a reason to save (DUR-28).
    if (!changed) {
      draft.abandon();
    } else {
      if (older !== undefined) draft.add(upgradeChanges(older, draft.view.record.header));
      if (!resumeCounted) draft.add(countResume(draft.view, {}).changes);
      const began = host.now();
      const changes = draft.changes();
      const { revision } = draft.record.header;
      saving = true;
      try {
        await session.save(draft.record, revision - 1, changes, call);
      } catch (error) {
        draft.abandon();
        // The session ends with the first save that erred: the next load tells what is true (DUR-21, STORE-4).
        saving = false;
        void close().catch(() => {});
        throw error;
      }
      saving = false;
      draft.confirm();
      resumeCounted = true;
      raised = true;
      older = undefined;
      if (events.observed) {
        const durationMs = host.now() - began;
        events.emit({ kind: "run-saved", revision, changes: changes.length, bytes: sizeOf(changes), durationMs });
      }
    }
    for (const { waiter, result } of carried) waiter.release(result);
  };
  const queue = commitQueue(save);
  const close = (): Promise<void> => (closing ??= closeOnce());
  const closeOnce = async (): Promise<void> => {
    if (saving) ending.abort(ended());
    await session.close();
  };
  /** What a save, and its waiters, are told when the run ends before it has settled: whether it was written, the next load tells. */
  const ended = (): PulseError => {
    const { runId } = live.confirmed.record.header;
    return new PulseError(
      "PULSE_INTERRUPTED",
      `run "${shownRunId(runId)}" ended in this process before its save was confirmed`,
      {
        details: { runId, next: "resume", others: [], abandoned: [] },
      },
    );
  };

  return {
    get view() {
      return live.confirmed;
    },
    get stopped() {
      return queue.stopped;
    },
    whenStopped: queue.whenStopped,
    submit: (decide, call) => queue.submit(decide, call),
    stop: (error) => queue.stop(error),
    openAttempt(request) {
      const { result } = openAttempt(live.confirmed, request);
      if (result.state === "new") live.pend(result.id, result.entry);
      return result;
    },
    generationOf(entry) {
      const rises = !raised && entry.end === "open" && !isVoid(live.confirmed, entry);
      return entry.generation + (rises ? 1 : 0);
    },
    get needsRepair() {
      return !raised && repairEnds(live.confirmed).changes.length > 0;
    },
    async repair() {
      // The first save of a resume repairs, whatever else is in it.
      await queue.submit(() => ({ changes: [], result: undefined }), { path: "" });
    },
    async countResume(maxResumes) {
      // A repair was a save of this resume, and has counted it.
      if (resumed && resumeCounted) return;
      resumeCounted = true;
      await queue.submit((view) => countResume(view, { maxResumes }), { path: "" });
    },
    close() {
      queue.stop(ended());
      return close();
    },
  };
}

/** The size of a save: values as they are, the rest as text. Counted only for observers. */
export function sizeOf(changes: RecordChanges): number {
  let size = 0;
  for (const change of changes) {
    size += Buffer.byteLength(change.key);
    if (change.kind === "delete") continue;
    const { text, bytes } = packEntry(change.key, change.entry);
    size += Buffer.byteLength(text);
    for (const each of bytes) size += each.length;
  }
  return size;
}
