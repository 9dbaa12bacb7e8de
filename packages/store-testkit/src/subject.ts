import type { Store } from "@pulse-ts/durable";

/**
 * A store that the kit is to prove, and how to get one (KIT-1). A module that exports it as `subject`, or as its default,
 * is a store module: the harnesses load it by its path in processes of their own.
 */
export interface StoreSubject {
  readonly name: string;
  /** Makes a new, empty place; the text is given to `open`, also in other processes. */
  newPlace(): Promise<string>;
  /**
   * Opens the store on a place. `at` is called at each of `faultPoints`: it may throw, wait, or kill the process.
   * Opening the same place again, also while another store is open on it, gives the same runs.
   */
  open(place: string, at?: (point: string) => void | Promise<void>): Store | Promise<Store>;
  /** Removes a place that nothing has open any more. Absent: places are left as they are. */
  removePlace?(place: string): Promise<void>;
  /** Where a save, an acquire or a delete can be cut off, by name. Absent or empty: none is known. */
  readonly faultPoints?: readonly string[];
  /** Requirement ids, or rule ids such as `STORE-7` or `KIT-2`, that it does not meet, and why. */
  readonly without?: Readonly<Record<string, string>>;
  /** Milliseconds after kill -9 of an owner within which another process can acquire; default {@link takeoverMsDefault}. */
  readonly takeoverMs?: number;
  /**
   * Milliseconds for which a paused owner must be stopped (SIGSTOP) before another may take its run; absent: a live owner
   * is never overtaken.
   */
  readonly overtakeMs?: number;
}

/** The `takeoverMs` of a subject that does not say. */
export const takeoverMsDefault = 1000;
