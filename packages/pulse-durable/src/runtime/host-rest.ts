import type { Ledger } from "./ledger.ts";

/** One group of the host, by its key in `record.streams`. */
export type HostGroups = () => readonly string[];

/** What a completed run has left for its host (STR-53). */
export interface HostRest {
  /** Some group of the host has messages that it has neither acknowledged nor stopped reading. */
  isLeft(): boolean;
  /** Looks anew: something of the host was confirmed. */
  look(): void;
  /** The host gives it up; a later resume can read it. */
  giveUp(): void;
  /** Settles when nothing is left, or it is given up. Asked for when the run is completed. */
  readonly over: Promise<void>;
}

/** Follows the groups of the host until they have no rest, the run's signal is aborted, or its saving has stopped. */
export function hostRest(ledger: Ledger, groups: HostGroups, signal: AbortSignal | undefined): HostRest {
  let settle = (): void => {};
  let awaited = false;
  let gone = false;
  const done = new Promise<void>((resolve) => (settle = resolve));
  const isLeft = (): boolean => {
    if (gone || ledger.stopped !== undefined || signal?.aborted === true) return false;
    const { streams } = ledger.view.record;
    return groups().some((ids) => (streams.get(ids)?.pending.length ?? 0) > 0);
  };
  const look = (): void => {
    if (!awaited || isLeft()) return;
    signal?.removeEventListener("abort", look);
    settle();
  };
  return {
    isLeft,
    look,
    giveUp() {
      gone = true;
      look();
    },
    get over() {
      if (!awaited) {
        awaited = true;
        signal?.addEventListener("abort", look);
        void ledger.whenStopped.then(look);
        look();
      }
      return done;
    },
  };
}
