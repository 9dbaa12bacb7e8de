import { stoppedAt } from "./fault-points.ts";
import { openFileStore } from "./open.ts";
import type { FileStore, FileStoreOptions } from "./open.ts";
import { realPlatform } from "./platform.ts";

export { fileFaultPoints } from "./fault-points.ts";

/**
 * Called at a fault point with its name, one of `fileFaultPoints`, and the file or folder; its promise is waited for.
 * It may throw: the disk has failed there (give the error a `code` such as `ENOSPC`, as the system does), and a throw at
 * `half` is a write that was cut short. It may wait: the disk is slow there. It may kill the process.
 */
export type AtFileFaultPoint = (point: string, path: string) => void | Promise<void>;

/**
 * A file store that calls `at` at every point where it changes something on disk: before and after each creation, write,
 * sync, link, rename and removal, and in the middle of each write (KIT-2, KIT-6). For tests of what a crash or a failing
 * disk does to a program: it folds runs and gives journals room sooner than other stores do. Points of different runs may be reached at the same time.
 * @throws PULSE_INVALID for options that cannot be
 */
export function fileStoreAt(options: FileStoreOptions, at: AtFileFaultPoint): FileStore {
  const platform = stoppedAt(realPlatform, (moment, { step, path }) => at(`${step} ${moment}`, path));
  // Few saves are to be enough to come to every point.
  return openFileStore(options, { platform, foldEarly: true, roomFrom: 0 });
}
