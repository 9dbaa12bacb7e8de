import { join } from "node:path";
import lockfile from "proper-lockfile";
import type { Platform } from "./platform.ts";

/**
 * The locks of owners: proper-lockfile's folders, each under the random token of one owner, kept fresh while its
 * process lives and removed when it lets go or exits. Nobody else ever takes a lock of that name, so a lock is never
 * contended; it says whether its owner has let go, and how long ago an owner that cannot be judged was last heard of.
 * Who owns the run is decided by the epoch alone (FILE-3).
 */
export interface Lock {
  release(): Promise<void>;
}

/** The tokens that this copy of the package holds: whatever is not in here, it does not own. */
const heldTokens = new Set<string>();

/** Whether this copy of the package holds the token. */
export const isHeldHere = (token: string): boolean => heldTokens.has(token);

/** Takes the lock of a new token. `staleMs`: after this long without a sign of life it counts as stale (FILE-5). */
export async function takeLock(locks: string, token: string, staleMs: number): Promise<Lock> {
  const release = await lockfile.lock(join(locks, token), {
    realpath: false,
    stale: staleMs,
    retries: 0,
    // A lock that somebody removed by hand is no reason to stop: what fences is the epoch, at every save.
    onCompromised: () => undefined,
  });
  heldTokens.add(token);
  return {
    async release() {
      heldTokens.delete(token);
      // It may be gone already, and whoever meets it afterwards finds a closed journal or a dead holder.
      await release().catch(() => undefined);
    },
  };
}

export type LockState = "absent" | "fresh" | "stale";

/** What the lock of another owner says. */
export async function lockState(platform: Platform, locks: string, token: string, staleMs: number): Promise<LockState> {
  if ((await platform.changedAt(lockPath(locks, token))) === undefined) return "absent";
  return (await lockfile.check(join(locks, token), { realpath: false, stale: staleMs })) ? "fresh" : "stale";
}

/** The folder that is the lock of a token. */
export const lockPath = (locks: string, token: string): string => join(locks, `${token}.lock`);
