import type { NodeContext } from "../run/node-context.ts";
import { letGo } from "../run/place.ts";
import { interruption } from "../run/signals.ts";
import { closedError } from "./stream-errors.ts";

/** Whoever sends or receives: a body at a level, or the host. */
export interface Party {
  /** The node's path, or the name of the host's group. */
  readonly path: string;
  /** None for the host. */
  readonly level: NodeContext | undefined;
  /** How many waits in streams a node has; while it has any it holds no place (CORE-18). */
  readonly waits: { count: number } | undefined;
}

/**
 * One wait in a stream. It ends in the step in which it is settled, its signal is aborted or its node is (CORE-38). What is
 * settled is the waiter's: cancelling after that takes nothing back, so nothing is lost or doubled (STR-30).
 */
export class Waiter<Result> {
  private readonly party: Party;
  /** Where the wait began: a reader may go on at another level. */
  private readonly level: NodeContext | undefined;
  readonly promise: Promise<Result>;
  private resolve!: (result: Result | PromiseLike<Result>) => void;
  private reject!: (error: unknown) => void;
  private readonly stopListening: (() => void) | undefined;
  private readonly signal: AbortSignal | undefined;
  private readonly takeAgain: (() => Promise<void>) | undefined;
  private readonly onSignal: (() => void) | undefined;
  private ended = false;

  /** `leave` takes it out of the queue that it stands in. */
  constructor(party: Party, signal: AbortSignal | undefined, leave: (waiter: Waiter<Result>) => void) {
    this.party = party;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A body that is aborted may not look at it any more: it is no unhandled rejection then (CORE-11).
    void quiet(this.promise);
    const { level, waits } = party;
    this.level = level;
    this.stopListening = level?.onAbort((reason) => {
      leave(this);
      this.fail(interruption(party.path, reason));
    });
    this.signal = signal;
    if (signal !== undefined) {
      this.onSignal = () => {
        leave(this);
        this.fail(signal.reason);
      };
      signal.addEventListener("abort", this.onSignal, { once: true });
    }
    if (waits !== undefined) waits.count++;
    this.takeAgain = level === undefined ? undefined : letGo(level);
  }

  /** The chain that waits has been given up: it gets nothing any more. Fails it then. */
  get isGone(): boolean {
    if (this.level?.closed !== true) return false;
    this.fail(closedError(this.party.path));
    return true;
  }

  settle(result: Result): void {
    const more = this.end();
    // With another wait under way the node goes on without a place: whoever waits for it may need that place.
    if (this.takeAgain === undefined || more) this.resolve(result);
    else
      this.takeAgain().then(
        () => this.resolve(result),
        (error: unknown) => this.reject(error),
      );
  }

  fail(error: unknown): void {
    this.end();
    this.reject(error);
  }

  /** Whether the node has another wait under way. */
  private end(): boolean {
    const { waits } = this.party;
    if (!this.ended) {
      this.ended = true;
      this.stopListening?.();
      if (this.onSignal !== undefined) this.signal?.removeEventListener("abort", this.onSignal);
      if (waits !== undefined) waits.count--;
    }
    return waits !== undefined && waits.count > 0;
  }
}

/** What keeps a party from a stream at once, if anything does. */
export function hindrance({ level, path }: Party, signal: AbortSignal | undefined): { error: unknown } | undefined {
  if (level !== undefined) {
    if (level.closed) return { error: closedError(path) };
    if (level.aborted) return { error: interruption(path, level.reason) };
  }
  return signal?.aborted === true ? { error: signal.reason } : undefined;
}

/** A promise whose rejection a caller need not look at. */
export function quiet<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}

/** A refusal that a caller need not look at: no unhandled rejection comes of it. */
export function refused(error: unknown): Promise<never> {
  return quiet(Promise.reject(error));
}
