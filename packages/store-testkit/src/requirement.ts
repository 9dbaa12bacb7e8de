import type { Bench } from "./bench.ts";

/** One thing that every store must do, as data: it needs no test runner to be checked (KIT-1). */
export interface Requirement {
  /** Stable for good: the rule, a dot, and what of it: `STORE-3.conflict`. */
  readonly id: string;
  /** The rule of the contract that it comes from: `STORE-3`. */
  readonly rule: string;
  /** A fact about each store that keeps it. */
  readonly title: string;
  /**
   * `module`: the check opens the store in other processes, by the path of its module. `fault-points`: it makes the
   * medium fail there. Where a subject has none, the requirement is left out, and the report says so.
   */
  readonly needs?: "module" | "fault-points";
  /** Milliseconds after which the check counts as hanging; default {@link checkMsDefault}. */
  readonly checkMs?: number;
  /** Resolves when the store keeps it. @throws an Error that says what was seen, and what was wanted */
  check(bench: Bench): Promise<void>;
}

/** The `checkMs` of a requirement that does not say. */
export const checkMsDefault = 60_000;
