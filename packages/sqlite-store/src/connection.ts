import { statSync } from "node:fs";
import { dirname } from "node:path";
import { lockMs, whenFree } from "./busy.ts";
import { ClosedStore, Refused } from "./failure.ts";
import { atStep } from "./fault-points.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import type { Parts } from "./parts.ts";
import { Sqlite } from "./sqlite.ts";

/** The open database of a store. */
export interface Open {
  readonly sqlite: Sqlite;
  /** Which file it is, whatever its name: two files never have the same while both are open. */
  readonly identity: Identity;
}

/** A file by what the system calls it. */
export interface Identity {
  readonly device: number;
  readonly file: number;
}

/** The connection of one store object to its file: opened when it is first needed, and again after opening failed. */
export class Connection {
  readonly #parts: Parts;
  #opening: Promise<Open> | undefined;
  #state: "open" | "closing" | "closed" = "open";

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The database, made if it is not there yet. @throws Refused, NewerSchema, ClosedStore after `shut`, what SQLite throws */
  async toWrite(): Promise<Open> {
    this.refuseShut();
    return await this.opened();
  }

  /** The database to be read; `undefined` while there is none. */
  async toRead(): Promise<Open | undefined> {
    this.refuseShut();
    return this.#opening === undefined && identityOf(this.#parts.file) === undefined ? undefined : await this.opened();
  }

  /** The database for what was begun before `shut`. */
  async opened(): Promise<Open> {
    if (this.#state === "closed") throw new ClosedStore();
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return await this.#opening;
  }

  /** The database if it is open. */
  async ifOpen(): Promise<Open | undefined> {
    return await this.#opening?.catch(() => undefined);
  }

  /** @throws ClosedStore after `shut` */
  refuseShut(): void {
    if (this.#state !== "open") throw new ClosedStore();
  }

  /** Nothing new is begun from now on. */
  shut(): void {
    if (this.#state === "open") this.#state = "closing";
  }

  async close(): Promise<void> {
    const open = await this.ifOpen();
    this.#state = "closed";
    this.#opening = undefined;
    open?.sqlite.close();
  }

  async #open(): Promise<Open> {
    const { file, at, busyMs } = this.#parts;
    refuseMissingFolder(file);
    const sqlite = atStep(at, "file-open", () => new Sqlite(file, { lockMs }));
    try {
      // Looked at before anything is written: a file of somebody else stays as it is.
      await whenFree(busyMs, () => schemaVersion(this.#parts, sqlite));
      await this.#setUp(sqlite);
      await migrate(this.#parts, sqlite);
      const identity = identityOf(file);
      if (identity === undefined) throw removed();
      return { sqlite, identity };
    } catch (error) {
      sqlite.close();
      throw error;
    }
  }

  async #setUp(sqlite: Sqlite): Promise<void> {
    const { at, busyMs, synchronous } = this.#parts;
    sqlite.pragma("foreign_keys = ON");
    sqlite.pragma("trusted_schema = OFF");
    sqlite.pragma("cell_size_check = ON");
    const mode = await whenFree(busyMs, () => atStep(at, "wal-mode", () => sqlite.pragma("journal_mode = WAL")));
    if (mode !== "wal") {
      throw new Refused(
        `SQLite cannot keep a write-ahead log here (it offers ${String(mode)}); put the file on a local disk`,
      );
    }
    sqlite.pragma(`synchronous = ${synchronous}`);
    // On macOS a plain sync does not reach the disk itself.
    if (synchronous === "full") sqlite.pragma("fullfsync = ON");
    // Checkpoints are made beside the saves (batch.ts); this is the bound for a process that never comes to them.
    sqlite.pragma(`wal_autocheckpoint = ${checkpointFramesMax}`);
  }
}

/** Pages in the write-ahead log at which SQLite itself moves them into the database, in the midst of a save. */
const checkpointFramesMax = 10_000;

function refuseMissingFolder(file: string): void {
  const folder = dirname(file);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Refused(
    `there is no folder ${folder}; make it, or give the path of a file in a folder that is there`,
    "ENOENT",
  );
}

/**
 * Tells one file from another; `undefined` when there is none. Opens nothing: to close a file drops the locks that SQLite
 * has on it.
 */
function identityOf(file: string): Identity | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : { device: found.dev, file: found.ino };
}

/** Whether the file of this name is still the one that was opened. */
export function isFileOf(path: string, { device, file }: Identity): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.ino === file && found.dev === device;
}

/** The file was removed or replaced while it was open: what is written to it now, nobody will ever find. */
export const removed = (): Error =>
  new Refused(
    "the database file was removed or replaced while it was open; stop, put the right file back, then resume",
    "ENOENT",
  );
