import { openSqliteStore } from "./open.ts";
import type { SqliteStore } from "./open.ts";
import type { SqliteStoreOptions } from "./options.ts";

export { sqliteFaultPoints } from "./fault-points.ts";

/**
 * A SQLite store that calls `at` with the name of each of `sqliteFaultPoints` when it comes there: before and after each
 * change of the database. It may throw: the database has failed there (give the error a `code` such as `SQLITE_FULL`). It
 * may kill the process. It cannot wait: SQLite is called synchronously.
 * @throws PULSE_INVALID for options that cannot be
 */
export function sqliteStoreAt(options: SqliteStoreOptions, at: (point: string) => void): SqliteStore {
  return openSqliteStore(options, { at });
}
