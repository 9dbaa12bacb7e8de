import { resolve } from "node:path";
import type { Catalog, Store } from "@pulse-ts/durable";
import { checkOptions, defineStore, systemProbe } from "@pulse-ts/durable/define-store";
import { Batch } from "./batch.ts";
import { catalogOf } from "./catalog.ts";
import { Connection } from "./connection.ts";
import { busyMsDefault, contentBytesMinDefault, staleMsDefault, storeOptions } from "./options.ts";
import type { SqliteStoreOptions } from "./options.ts";
import { ownProcess } from "./owner.ts";
import type { Medium } from "./owner.ts";
import type { Parts } from "./parts.ts";
import { migrations } from "./schema.ts";
import { epochsOf, runsIn } from "./store.ts";

/** A store with a catalogue in one SQLite file. */
export interface SqliteStore extends Store {
  readonly catalog: Catalog;
  close(): Promise<void>;
}

/**
 * Keeps run records in one SQLite file: for one host and any number of processes. A save that resolved survives the death
 * of the process and a loss of power, as far as the disk keeps what `fsync` covers; saves of one turn of the event loop
 * share a transaction. Nothing is touched before the first call.
 * @throws PULSE_INVALID for options that cannot be
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return openSqliteStore(options, {});
}

/** The same with parts of one's own: for tests of this package. */
export function openSqliteStore(
  options: SqliteStoreOptions,
  replaced: Partial<Pick<Parts, "at" | "probe" | "holder" | "now" | "migrations">>,
): SqliteStore {
  checkOptions<SqliteStoreOptions>("opening a SQLite store", options, storeOptions);
  const parts: Parts = {
    file: resolve(options.file),
    synchronous: options.synchronous ?? "full",
    busyMs: options.busyMs ?? busyMsDefault,
    staleMs: options.staleMs ?? staleMsDefault,
    contentBytesMin: options.contentBytesMin ?? contentBytesMinDefault,
    at: undefined,
    migrations,
    probe: systemProbe,
    holder: ownProcess,
    now: Date.now,
    ...replaced,
  };
  const connection = new Connection(parts);
  const batch = new Batch(parts, connection);
  const medium: Medium = { parts, connection, batch };
  const epochs = epochsOf(medium);
  const store = defineStore({ ...runsIn(medium, epochs), catalog: catalogOf(medium) });
  return {
    ...store,
    async close() {
      await batch.idle();
      await connection.close();
    },
  };
}
