import { resolve } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Catalog, Store } from "@pulse-ts/durable";
import { checkOptions, defineStore, refusal, systemProbe } from "@pulse-ts/durable/define-store";
import type { CollectOptions, Doing } from "@pulse-ts/durable/define-store";
import { backUp } from "./backup.ts";
import type { Backup, BackupOptions } from "./backup.ts";
import { Batch } from "./batch.ts";
import { catalogOf } from "./catalog.ts";
import { collectContents } from "./collect.ts";
import type { CollectedContents } from "./collect.ts";
import { Connection } from "./connection.ts";
import { explainFailure } from "./failure.ts";
import { checkIntegrity } from "./integrity.ts";
import type { IntegrityOptions, IntegrityReport } from "./integrity.ts";
import { busyMsDefault, contentBytesMinDefault, staleMsDefault, storeOptions } from "./options.ts";
import type { SqliteStoreOptions } from "./options.ts";
import { ownProcess, releaseRun } from "./owner.ts";
import type { Medium } from "./owner.ts";
import type { Parts } from "./parts.ts";
import { migrations } from "./schema.ts";
import { epochsOf, forRun, runsIn } from "./store.ts";
import type { Epochs } from "./store.ts";

/** A store with a catalogue in one SQLite file. */
export interface SqliteStore extends Store {
  readonly catalog: Catalog;
  /**
   * Removes big values that no record names any more (STORE-8): those of deleted runs, and of nodes that were written anew.
   * Nothing calls it by itself; once a day is a good measure. It reads every record once, takes nothing that an open run may
   * still name, and may be called at any time and by several at once.
   * @throws PULSE_STORE, PULSE_INVALID
   */
  collect(options?: CollectOptions): Promise<CollectedContents>;
  /**
   * Copies the whole database, as it stands when this begins, into a new file at this path (SQL-3), while runs go on; looks
   * at every page and row of the copy, and only then gives it its name. In the copy nobody owns a run. It is one file, and is
   * a store of its own: `sqliteStore({ file: path })`.
   * @throws PULSE_STORE when there is a file already or the disk fails; PULSE_CORRUPT when what was copied is damaged: then
   *   there is no copy; PULSE_INVALID
   */
  backup(path: string, options?: BackupOptions): Promise<Backup>;
  /**
   * Looks at every page, row, checksum and digest (SQL-3), and changes nothing. SQLite's own look at the pages keeps the
   * event loop still: about a second for a gigabyte that is in memory.
   * @throws PULSE_STORE when the file is no store at all
   */
  checkIntegrity(options?: IntegrityOptions): Promise<IntegrityReport>;
  /**
   * Ends what is being written, lets go of every run that is still open, and closes the file. Calls after it are PULSE_USAGE
   * errors. Idempotent.
   */
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
  const doing = (what: string): Doing => ({ what, runId: "", medium: parts.file });
  let closing: Promise<void> | undefined;
  return {
    ...store,
    collect: async (given) =>
      await told(medium, doing("collecting contents"), async () => await collectContents(medium, given)),
    backup: async (path, given) =>
      await told(medium, doing("backing up"), async () => await backUp(medium, path, given)),
    checkIntegrity: async (given) =>
      await told(medium, doing("checking the store"), async () => await checkIntegrity(medium, given)),
    async close() {
      closing ??= closeStore(medium, epochs);
      await closing;
    },
  };
}

async function closeStore({ connection, batch, ...medium }: Medium, epochs: Epochs): Promise<void> {
  connection.shut();
  const releases = [...epochs.held].map(async (epoch) => {
    epochs.delete(epoch);
    await releaseRun({ connection, batch, ...medium }, epoch);
  });
  // What cannot be let go now, others find as left by a process that has ended.
  await Promise.allSettled(releases);
  await batch.idle();
  await connection.close();
}

/** What the database throws, as an error that says what was being done and what helps. */
async function told<Result>(medium: Medium, doing: Doing, action: () => Promise<Result>): Promise<Result> {
  try {
    return await forRun(medium, "", action);
  } catch (error) {
    const failure = isPulseError(error) ? undefined : explainFailure(error);
    throw failure === undefined ? error : refusal(doing, failure.found, failure.systemCode, error);
  }
}
