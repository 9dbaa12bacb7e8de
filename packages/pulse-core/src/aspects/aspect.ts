import type { AnyKey } from "../key.ts";
import type { BaseContext, Settled } from "../context.ts";

/** What an aspect sees of the node it is around. Keys are untyped here: an aspect serves many nodes. */
export interface AspectContext extends BaseContext {
  readonly nodeId: string;
  readonly requires: readonly AnyKey[];
  readonly provides: readonly AnyKey[];
  /** Reads a key that the node requires, or one that this chain has written (CODEC-17). */
  get(key: AnyKey): unknown;
  set(key: AnyKey, value: unknown): Settled;
  skip(): never;
  skip(key: AnyKey): Settled;
}

/** Runs what is inside the aspect; may be called again after it has settled (CORE-13). */
export type Next = () => Promise<void>;

/** Middleware around a node's chain (CORE-13). Made by {@link aspect}, `retry`, `timeout` or `limiter`. */
export interface Aspect {
  readonly kind: "aspect";
  readonly name: string;
  readonly run: (context: AspectContext, next: Next) => unknown;
  /** For a retry: its limit, which is part of the definition (DUR-5). */
  readonly limit?: number;
}

/**
 * An aspect of your own: it may run code before and after `next`, call it again, catch, translate or raise errors,
 * write the node's keys, or answer without calling `next`. Its errors are the node's.
 */
export function aspect(name: string, run: (context: AspectContext, next: Next) => unknown): Aspect {
  return Object.freeze({ kind: "aspect", name, run });
}
