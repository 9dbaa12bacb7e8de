import { openPgStore } from "./open.ts";
import type { PgStore, PgStoreOptions } from "./open.ts";

export { pgFaultPoints } from "./fault-points.ts";

/**
 * Called at a fault point with its name, one of `pgFaultPoints`; its promise is waited for. It may throw: the connection
 * was lost there (give the error a `code` such as `ECONNRESET`, as the system does). It may wait: the server is slow there.
 * It may kill the process.
 */
export type AtPgFaultPoint = (point: string) => void | Promise<void>;

/**
 * A PostgreSQL store that calls `at` before each statement is sent and after its answer came (KIT-2, KIT-6). For tests of
 * what a crash or a lost connection does to a program. Points of different runs may be reached at the same time.
 * @throws PULSE_INVALID for options that cannot be
 */
export function pgStoreAt(options: PgStoreOptions, at: AtPgFaultPoint): PgStore {
  return openPgStore(options, (moment, step) => at(`${step} ${moment}`));
}
