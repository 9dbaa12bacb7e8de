import { rmdirSync, stat } from "node:fs";
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
export async function takeLock(platform: Platform, locks: string, token: string, staleMs: number): Promise<Lock> {
  surviveShortWrites();
  let release: () => Promise<void>;
  try {
    release = await lockfile.lock(join(locks, token), {
      realpath: false,
      stale: staleMs,
      retries: 0,
      fs: lockFileSystem(platform),
      // A lock that somebody removed by hand is no reason to stop: what fences is the epoch, at every save.
      onCompromised: () => undefined,
    });
  } catch (error) {
    await removeLock(platform, locks, token);
    throw error;
  }
  heldTokens.add(token);
  return {
    async release() {
      heldTokens.delete(token);
      // It may be gone already, and whoever meets it afterwards finds a closed journal or a dead holder. What stopped
      // its removal may have been of that moment alone.
      await release().catch(async () => await removeLock(platform, locks, token));
    },
  };
}

/**
 * Node ignores SIGXFSZ, so that a write past the process's limit for files fails (EFBIG) and can be told. proper-lockfile
 * listens to it, to remove its locks when the process ends, and ends the process if it is the only one that listens.
 */
function surviveShortWrites(): void {
  if (!process.listeners("SIGXFSZ").includes(ignoreSignal)) process.on("SIGXFSZ", ignoreSignal);
}

const ignoreSignal = (): void => undefined;

async function removeLock(platform: Platform, locks: string, token: string): Promise<void> {
  await platform.removeFolder("lock-remove", lockPath(locks, token)).catch(() => undefined);
}

type Done = (error: unknown) => void;

/** The calls of proper-lockfile, so that its changes of the disk have names too. Made once: it keeps what it learnt. */
function lockFileSystem(platform: Platform): object {
  const known = lockFileSystems.get(platform);
  if (known !== undefined) return known;
  const answer = (work: Promise<void>, done: Done): void => void work.then(() => done(null), done);
  const made = {
    stat,
    mkdir: (path: string, done: Done) => answer(platform.makeNewFolder("lock-make", path), done),
    utimes: (path: string, _read: Date, changed: Date, done: Done) =>
      answer(platform.touch("lock-touch", path, changed), done),
    rmdir: (path: string, done: Done) => answer(platform.removeFolder("lock-remove", path), done),
    // When the process exits, which waits for nothing.
    rmdirSync,
  };
  lockFileSystems.set(platform, made);
  return made;
}

const lockFileSystems = new WeakMap<Platform, object>();

export type LockState = "absent" | "fresh" | "stale";

/** What the lock of another owner says. */
export async function lockState(platform: Platform, locks: string, token: string, staleMs: number): Promise<LockState> {
  if ((await platform.changedAt(lockPath(locks, token))) === undefined) return "absent";
  return (await lockfile.check(join(locks, token), { realpath: false, stale: staleMs })) ? "fresh" : "stale";
}

/** The folder that is the lock of a token. */
export const lockPath = (locks: string, token: string): string => join(locks, `${token}.lock`);
