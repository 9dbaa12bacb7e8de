import type { SlotState } from "../run/slot.ts";
import type { Reader } from "./reader.ts";
import type { Source } from "./source.ts";

/** What one node of one execution has of streams. It outlives the tries of the node's chain (STR-32, STR-39). */
export class Account {
  /** The node's readers of its latest try, by slot. */
  readonly readers = new Map<number, Reader>();
  /** The streams that it opened. */
  readonly sources = new Set<Source>();
  /** Those that it is opening, by slot. */
  readonly opening = new Map<number, Source>();
  /** Its body ran, or something around it received. */
  used = false;
  /** How many waits in streams it has; while it has any it holds no place (CORE-18). */
  readonly waits = { count: 0 };
  /** A message's budget is used up: the node fails with this, whatever its chain makes of it (STR-16). */
  failure: { readonly thrown: unknown } | undefined;
  /** With checkpoints: what a handler has come to, while it is being confirmed. The next one begins when that is known. */
  recording: Promise<void> | undefined;
  /** The node's explicit state; absent at first (STR-18). */
  state: { readonly value: unknown } | undefined;
  /** How often the state was replaced, or asked to be: a handler that has read an older one begins anew. */
  stateMoves = 0;
  /** Plain keys that committed messages wrote: visible when the chain has ended (STR-19). */
  readonly contributed = new Map<number, { readonly state: SlotState; readonly value: unknown }>();
  /** How many tries of a message have failed, by reader and sequence (STR-16, STR-39). */
  readonly failedTries = new Map<string, number>();
}
