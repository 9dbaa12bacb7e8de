import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { PulseError, PulseErrorCode } from "@pulse-ts/core";
import { ownHolder } from "@pulse-ts/durable/define-store";
import type { Holder, ProcessProbe } from "@pulse-ts/durable/define-store";
import Driver from "better-sqlite3";
import type { Database } from "better-sqlite3";
import { openSqliteStore } from "../open.ts";
import type { SqliteStore } from "../open.ts";
import type { SqliteStoreOptions } from "../options.ts";
import type { Parts } from "../parts.ts";

type Replaced = Partial<Pick<Parts, "at" | "probe" | "holder" | "now" | "migrations">>;

/** A folder for one test with a database file in it; what was opened on it is closed, and it is removed, after the test. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly file: string;
  open(replaced?: Replaced, options?: Partial<SqliteStoreOptions>): SqliteStore;
  /** The file as SQLite shows it to anybody. */
  raw(): Database;
}

/**
 * In memory where the system has such a folder: most tests prove nothing of the disk itself, and waiting for syncs would
 * take nearly all of their time.
 */
export async function openPlace(speed: "disk" | "fast" = "fast"): Promise<Place> {
  const folder = await mkdtemp(join(speed === "fast" && existsSync(memory) ? memory : tmpdir(), "pulse-sqlite-"));
  const file = join(folder, "runs.db");
  const stores: SqliteStore[] = [];
  const raws: Database[] = [];
  return {
    folder,
    file,
    open(replaced = {}, options = {}) {
      const store = openSqliteStore({ file, ...options }, replaced);
      stores.push(store);
      return store;
    },
    raw() {
      const database = new Driver(file);
      raws.push(database);
      return database;
    },
    async [Symbol.asyncDispose]() {
      for (const raw of raws) raw.close();
      await Promise.allSettled(stores.map(async (store) => await store.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const memory = "/dev/shm";

/** Every file of a folder with its bytes. */
export async function everythingIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: [string, string][] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    found.push([name, (await readFile(join(folder, name))).toString("base64")]);
  }
  return Object.fromEntries(found);
}

/** Processes that only a test knows: one store acts as each, and `kill` makes the others see it dead. */
export interface Processes {
  parts(pid: number): Pick<Parts, "holder" | "probe">;
  /** The parts of a store that acts as a process nobody else can judge. */
  strangerParts(pid: number): Pick<Parts, "holder" | "probe">;
  kill(pid: number): void;
}

export function fakeProcesses(): Processes {
  const dead = new Set<number>();
  const probe: ProcessProbe = { started: async (pid) => (dead.has(pid) ? "gone" : { at: `start of ${pid}` }) };
  const holderOf = async (pid: number, fields: Partial<Holder>): Promise<Holder> => ({
    ...(await ownHolder()),
    pid,
    started: `start of ${pid}`,
    instance: `instance of ${pid}`,
    ...fields,
  });
  return {
    parts: (pid) => ({ probe, holder: async () => await holderOf(pid, {}) }),
    strangerParts: (pid) => ({ probe, holder: async () => await holderOf(pid, { namespace: `namespace of ${pid}` }) }),
    kill: (pid) => dead.add(pid),
  };
}

/** The PulseError of this code that the promise rejects with; anything else is thrown on. */
export async function rejectionOf<Code extends PulseErrorCode>(
  code: Code,
  pending: Promise<unknown>,
): Promise<PulseError<Code>> {
  let value: unknown;
  try {
    value = await pending;
  } catch (error) {
    if (isPulseError(error, code)) return error;
    throw error;
  }
  throw new Error(`expected ${code}, but the call gave ${String(value)}`);
}

/** An error as SQLite's driver throws it. */
export const sqliteError = (code: string): Error => new Driver.SqliteError(`made by a test: ${code}`, code);
