import { rmdirSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "./platform.ts";

/**
 * The locks of owners: folders, each under the random token of one owner, kept fresh while its process lives and removed
 * when it lets go or exits. Nobody else ever takes a lock of that name, so a lock is never contended; it says whether its
 * owner has let go, and how long ago an owner that cannot be judged was last heard of. Who owns the run is decided by the
 * epoch alone (FILE-3).
 */
export interface Lock {
  release(): Promise<void>;
}

/** The locks that this copy of the package holds, by token: whatever is not in here, it does not own. */
const held = new Map<string, string>();

/** Whether this copy of the package holds the token. */
export const isHeldHere = (token: string): boolean => held.has(token);

/** Takes the lock of a new token. `staleMs`: after this long without a sign of life it counts as stale (FILE-5). */
export async function takeLock(platform: Platform, locks: string, token: string, staleMs: number): Promise<Lock> {
  const path = lockPath(locks, token);
  removeAtExit();
  try {
    await platform.makeNewFolder("lock-make", path);
    await platform.touch("lock-touch", path, new Date());
  } catch (error) {
    await removeLock(platform, path);
    throw error;
  }
  held.set(token, path);
  // A sign of life that cannot be given is no reason to stop: what fences is the epoch, at every save.
  const signs = setInterval(
    () => void platform.touch("lock-touch", path, new Date()).catch(() => undefined),
    Math.max(signMsMin, staleMs / 2),
  );
  // It alone keeps no process running.
  signs.unref();
  return {
    async release() {
      clearInterval(signs);
      held.delete(token);
      // It may be gone already, and whoever meets it afterwards finds a closed journal or a dead holder. What stopped
      // its removal may have been of that moment alone.
      if (!(await removeLock(platform, path))) await removeLock(platform, path);
    },
  };
}

const signMsMin = 1_000;

/** Tells whether it could be removed. */
async function removeLock(platform: Platform, path: string): Promise<boolean> {
  return await platform.removeFolder("lock-remove", path).then(
    () => true,
    () => false,
  );
}

/** An exit waits for nothing. Whoever dies without one is found dead (FILE-5). */
function removeAtExit(): void {
  if (!process.listeners("exit").includes(removeHeld)) process.on("exit", removeHeld);
}

function removeHeld(): void {
  for (const path of held.values())
    try {
      rmdirSync(path);
    } catch {
      // Nobody is left to be told.
    }
}

export type LockState = "absent" | "fresh" | "stale";

/** What the lock of another owner says. */
export async function lockState(platform: Platform, locks: string, token: string, staleMs: number): Promise<LockState> {
  const changedAt = await platform.changedAt(lockPath(locks, token));
  if (changedAt === undefined) return "absent";
  return changedAt < Date.now() - Math.max(staleMs, staleMsMin) ? "stale" : "fresh";
}

/** Twice the shortest time between two signs of life. */
const staleMsMin = 2 * signMsMin;

/** The folder that is the lock of a token. */
export const lockPath = (locks: string, token: string): string => join(locks, `${token}.lock`);
