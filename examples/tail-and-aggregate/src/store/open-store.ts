import { isPulseError } from "@pulse-ts/core";
import type { Catalog, Store } from "@pulse-ts/durable";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { Problem } from "../problem.ts";
import type { StorePlace } from "./store-place.ts";

export type TailStore = Store & { readonly catalog: Catalog };

/**
 * Opens the store of a place, and loads the package of that kind of store alone.
 * @throws Problem for an address that is none, and what the store throws
 */
export async function openStore(place: StorePlace): Promise<TailStore> {
  switch (place.kind) {
    case "file": {
      const { fileStore } = await import("@pulse-ts/filestore");
      return fileStore({ folder: place.path });
    }
    case "sqlite": {
      const { sqliteStore } = await import("@pulse-ts/sqlite-store");
      await mkdir(dirname(place.path), { recursive: true });
      return sqliteStore({ file: place.path });
    }
    case "postgres": {
      const { pgStore } = await import("@pulse-ts/pgstore");
      const store = madeOf(() => pgStore({ connectionString: place.address }));
      try {
        await store.migrate();
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    }
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
