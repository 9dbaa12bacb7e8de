import { isPulseError } from "@pulse-ts/core";
import type { Catalog, Store } from "@pulse-ts/durable";
import { basename, dirname, join, relative } from "node:path";
import { Problem } from "../problem.ts";
import { ownFolder } from "../run/own-folder.ts";
import { shownAddress } from "./store-place.ts";
import type { StorePlace } from "./store-place.ts";

export type JobStore = Store & { readonly catalog: Catalog };

/** A place for the runs that is there and can be written in. */
export interface ReadyPlace {
  /** With the true path of its folder. */
  readonly place: StorePlace;
  /** For people. Never with a password. */
  shownFrom(folder: string): string;
  /** Takes away what was made for it, as far as it is still empty. */
  removeIfEmpty(): Promise<void>;
}

/**
 * Makes the folder that a place needs.
 * @throws Problem when it cannot be made or written in
 */
export async function readyPlace(place: StorePlace): Promise<ReadyPlace> {
  if (place.kind === "postgres")
    return { place, shownFrom: () => shownAddress(place.address), removeIfEmpty: async () => {} };
  const isFile = place.kind === "sqlite";
  const { path, removeIfEmpty } = await ownFolder(isFile ? dirname(place.path) : place.path, "the run's record");
  const truly: StorePlace = { ...place, path: isFile ? join(path, basename(place.path)) : path };
  return { place: truly, shownFrom: (folder) => relative(folder, truly.path), removeIfEmpty };
}

/**
 * Opens the store of a place, and loads the package of that kind of store alone. `say`: told what a person may want to
 * know. @throws Problem for an address that is none, and what the store throws
 */
export async function openStore(place: StorePlace, say: (text: string) => void): Promise<JobStore> {
  switch (place.kind) {
    case "file":
      return await openFiles(place.path);
    case "sqlite":
      return await openSqlite(place.path);
    case "postgres":
      return await openPostgres(place.address, say);
  }
}

async function openFiles(folder: string): Promise<JobStore> {
  const { fileStore } = await import("@pulse-ts/filestore");
  return fileStore({ folder });
}

async function openSqlite(file: string): Promise<JobStore> {
  const { sqliteStore } = await import("@pulse-ts/sqlite-store");
  return sqliteStore({ file });
}

async function openPostgres(connectionString: string, say: (text: string) => void): Promise<JobStore> {
  const { pgStore } = await import("@pulse-ts/pgstore");
  const store = madeOf(() => pgStore({ connectionString, onNotice: ({ message }) => say(message) }));
  try {
    const { from, to } = await store.migrate();
    if (from !== to) say(from === 0 ? "Made the tables that runs are kept in." : "Brought the tables up to date.");
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What the store refuses of an address is a mistake in the command; the store's message holds no password. */
function madeOf<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!isPulseError(error, "PULSE_INVALID")) throw error;
    throw new Problem(error.message, { exitCode: 2, cause: error });
  }
}
