import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isPulseError } from "@pulse-ts/core";
import { fileStoreAt } from "@pulse-ts/filestore/testing";
import type { OpenStore } from "@pulse-ts/store-testkit";
import type { KeptStore } from "./housekeeping.ts";

/** Far below what a program would choose: a run of a few dozen saves is folded several times. */
export const foldBytesMin = 3_000;

/** The stores that are proved, by the names of `pnpm soak --store`. */
export const storeNames = ["file", "sqlite", "postgres"] as const;
export type StoreName = (typeof storeNames)[number];

/** The store of the program that keeps house in it first. */
export const housekeepingOn = (name: StoreName): string => `${name} with housekeeping`;

type OpenKept = (...words: Parameters<OpenStore>) => KeptStore | Promise<KeptStore>;

/** Opens each with its fault points. A driver is loaded by the processes that use it alone. */
export const openStores: Readonly<Record<StoreName, OpenKept>> = {
  file: (folder, at) => fileStoreAt({ folder, foldBytesMin }, at),
  async sqlite(folder, at) {
    const { sqliteStoreAt } = await import("@pulse-ts/sqlite-store/testing");
    return sqliteStoreAt({ file: join(folder, "runs.db") }, (point) => void at(point));
  },
  async postgres(place, at) {
    const { pgStoreAt } = await import("@pulse-ts/pgstore/testing");
    return patient(pgStoreAt(postgresPlace(place), at));
  },
};

/** A place in PostgreSQL: the address of a database, `#`, and a schema. */
export function postgresPlace(place: string): { readonly connectionString: string; readonly schema: string } {
  const cut = place.lastIndexOf("#");
  return { connectionString: place.slice(0, cut), schema: place.slice(cut + 1) };
}

/** Milliseconds after which a killed owner's run counts as never free: far above what a server needs to notice. */
const busyMsMax = 45_000;
const pauseMs = 5;

/** The server notices a moment after a process is killed that its connections are gone: until then the run is busy. */
function patient(store: KeptStore): KeptStore {
  return {
    ...store,
    async acquire(runId, options) {
      const start = performance.now();
      for (;;) {
        try {
          return await store.acquire(runId, options);
        } catch (error) {
          if (!isPulseError(error, "PULSE_BUSY") || performance.now() - start > busyMsMax) throw error;
        }
        await setTimeout(pauseMs);
      }
    },
  };
}
