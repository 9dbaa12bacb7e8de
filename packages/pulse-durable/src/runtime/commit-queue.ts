import { PulseError } from "@pulse-ts/core";
import type { RunView } from "../record/live-record.ts";
import type { Decision } from "../transition/decision.ts";

/** Decides one change against the record and the changes before it in the same save; throws to refuse (DUR-19). */
export type Decide<Result> = (view: RunView) => Decision<Result>;

/** One change that waits for its save. */
export interface Waiter {
  readonly decide: Decide<unknown>;
  readonly release: (result: unknown) => void;
  readonly refuse: (error: unknown) => void;
}

/** Which change a caller waits for. */
export interface ChangeCall {
  /** The node's path, for messages. */
  readonly path: string;
  /** Read only when the change has to wait: a signal is made when it is first read (CORE-35). */
  readonly signal?: AbortSignal;
}

/** Puts the changes of one run into saves, one save at a time (DUR-9). */
export interface CommitQueue {
  /**
   * Admits a change in the step of the call; settles when the save that holds it is confirmed or has erred.
   * @throws PULSE_CHECKPOINT_NOT_STARTED when its signal is aborted while it is still queued (DUR-26);
   *   what stopped the run, once it is stopped (DUR-21)
   */
  submit<Result>(decide: Decide<Result>, call: ChangeCall): Promise<Result>;
  /** Refuses every waiter, the save's in flight included, and all that come, with this error. The first one stays. */
  stop(error: unknown): void;
  /** What stopped it. */
  readonly stopped: { readonly error: unknown } | undefined;
  /** Settles when it is stopped. */
  readonly whenStopped: Promise<void>;
}

/**
 * `save` decides and saves a batch, and releases or refuses each of its waiters. When it rejects, the run is stopped:
 * the waiters of the batch and all behind it get that very error, and nothing more is saved (DUR-21).
 */
export function commitQueue(save: (batch: readonly Waiter[]) => Promise<void>): CommitQueue {
  const queue = new Map<Waiter, () => void>();
  let saving: readonly Waiter[] | undefined;
  let stopped: { readonly error: unknown } | undefined;
  let tellStopped = (): void => {};
  const whenStopped = new Promise<void>((resolve) => (tellStopped = resolve));

  const stop = (error: unknown): void => {
    if (stopped !== undefined) return;
    stopped = { error };
    tellStopped();
    const batch = [...(saving ?? []), ...take()];
    for (const waiter of batch) waiter.refuse(error);
  };
  const take = (): readonly Waiter[] => {
    const batch = [...queue.keys()];
    for (const leave of queue.values()) leave();
    queue.clear();
    return batch;
  };
  const pump = (): void => {
    if (saving !== undefined || stopped !== undefined || queue.size === 0) return;
    saving = take();
    save(saving).then(saved, stop);
  };
  const saved = (): void => {
    saving = undefined;
    pump();
  };
  /** Takes a change out when its signal is aborted first; gives what stops listening. */
  const watch = (waiter: Waiter, { path, signal }: ChangeCall): (() => void) => {
    if (signal === undefined) return unwatched;
    const cancel = (): void => {
      queue.delete(waiter);
      waiter.refuse(
        new PulseError(
          "PULSE_CHECKPOINT_NOT_STARTED",
          `"${path}" was cancelled before its change was handed to a save`,
          {
            details: { path },
          },
        ),
      );
    };
    if (signal.aborted) {
      queueMicrotask(cancel);
      return unwatched;
    }
    return onAbort(signal, cancel);
  };

  return {
    get stopped() {
      return stopped;
    },
    whenStopped,
    stop,
    submit<Result>(decide: Decide<Result>, call: ChangeCall): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        if (stopped !== undefined) return reject(stopped.error);
        // What `decide` decides is what this waiter is released with.
        const waiter: Waiter = { decide, release: resolve as (result: unknown) => void, refuse: reject };
        queue.set(waiter, unwatched);
        pump();
        if (queue.has(waiter)) queue.set(waiter, watch(waiter, call));
      });
    },
  };
}

/** Who waits for each signal: one listener serves all that wait under it, and there may be as many as messages in flight. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

function onAbort(signal: AbortSignal, cancel: () => void): () => void {
  let cancels = waiting.get(signal);
  if (cancels === undefined) {
    const all = new Set<() => void>();
    const abort = (): void => {
      for (const each of all) each();
    };
    signal.addEventListener("abort", abort, { once: true });
    waiting.set(signal, (cancels = all));
  }
  cancels.add(cancel);
  return () => cancels.delete(cancel);
}

/** Of a change that has not waited yet, and of one that cannot be cancelled. */
const unwatched = (): void => {};
