/**
 * Given in place of a value for an input that the graph declares optional: the input is skipped (CORE-41).
 * Two copies of the package agree on it.
 */
export const skipped: unique symbol = Symbol.for("@pulse-ts/skipped") as never;

/** The type of {@link skipped}. */
export type Skipped = typeof skipped;
