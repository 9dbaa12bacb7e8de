import { setTimeout as delay } from "node:timers/promises";

/**
 * Milliseconds that SQLite itself waits for a lock: the event loop stands still that long at most. Longer waits are made
 * of such pieces with pauses between, in which the process goes on.
 */
export const lockMs = 10;

/** Longest pause between two tries, in milliseconds. */
const pauseMsMax = 50;

/** Does it again until no other process holds the lock that it needs, at most so many milliseconds. */
export async function whenFree<Result>(busyMs: number, action: () => Result): Promise<Result> {
  const until = performance.now() + busyMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return action();
    } catch (error) {
      if (!isLocked(error) || performance.now() >= until) throw error;
    }
    await delay(pauseMs);
  }
}

/** Whether another connection holds what is needed: it was not even begun. */
export function isLocked(error: unknown): boolean {
  const code = typeof error === "object" && error !== null ? (error as { readonly code?: unknown }).code : undefined;
  return typeof code === "string" && (code.startsWith("SQLITE_BUSY") || code === "SQLITE_LOCKED");
}
