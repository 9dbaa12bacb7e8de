import { checkOptions, optional } from "./store-options.ts";

/** What a collection of contents may be told (STORE-8). */
export interface CollectOptions {
  /**
   * Milliseconds for which a content that no record names must not have been saved or used again before it may go;
   * default {@link contentWindowMsDefault}. Longer: more room is taken. Shorter: a record that was read a moment ago may
   * name what is gone when its run is changed or deleted meanwhile; a save never does, however short this is.
   */
  readonly windowMs?: number;
  /** Ends the collection between two of its steps; what it has not come to is left to the next one. */
  readonly signal?: AbortSignal;
}

/** 24 hours. */
export const contentWindowMsDefault = 86_400_000;

/** Refuses what is no option of a collection. @throws PULSE_INVALID with every problem */
export function checkCollectOptions(options: unknown): asserts options is CollectOptions {
  checkOptions<CollectOptions>("collecting contents", options, {
    windowMs: optional((value) => Number.isFinite(value) && (value as number) >= 0, "milliseconds from 0"),
    signal: optional((value) => value instanceof AbortSignal, "an AbortSignal"),
  });
}
