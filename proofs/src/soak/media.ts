import { randomBytes } from "node:crypto";
import { pgStore } from "@pulse-ts/pgstore";
import type { CrashCase } from "@pulse-ts/store-testkit";
import { cutConnections, startPostgres } from "@pulse-ts/test-postgres";
import type { TestPostgres } from "@pulse-ts/test-postgres";
import { postgresPlace } from "../program/stores.ts";
import type { StoreName } from "../program/stores.ts";

/** Where runs are written, and what can happen to it. */
export interface Medium extends Pick<CrashCase, "openPlace" | "outages"> {
  readonly name: StoreName;
}

/** A medium that may have been started for the occasion. */
export interface OpenMedium extends AsyncDisposable {
  readonly medium: Medium;
}

/** A folder for each run. */
export function folderMedium(name: "file" | "sqlite"): Medium {
  return { name };
}

/** A PostgreSQL server of its own, as it may stop. All runs are in one schema, as a program would have them. */
export async function openPostgres(): Promise<OpenMedium> {
  const server = await startPostgres();
  try {
    const place = `${await server.freshDatabase()}#soak`;
    const store = pgStore(postgresPlace(place));
    await store.migrate();
    await store.close();
    return {
      medium: {
        name: "postgres",
        openPlace: async () => ({
          place,
          runId: `crash ${randomBytes(6).toString("hex")}`,
          [Symbol.asyncDispose]: nothing,
        }),
        outages: outagesOf(server),
      },
      [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** The next run has another id. */
const nothing = (): Promise<void> => Promise.resolve();

function outagesOf(server: TestPostgres): NonNullable<Medium["outages"]> {
  let last: Promise<void> = Promise.resolve();
  // One at a time, of all runs that go on beside each other: a server that is stopped cannot be told to cut connections.
  const inTurn = (outage: () => Promise<void>) => async (): Promise<void> => {
    const turn = last.then(outage);
    last = turn.catch(() => {});
    await turn;
  };
  return {
    "all connections cut": inTurn(async () => await cutConnections(server.url)),
    "half of the connections cut": inTurn(async () => await cutConnections(server.url, 0.5)),
    "server stopped at once and started again": inTurn(async () => {
      await server.stop("immediate");
      await server.start();
    }),
  };
}

/** Opens the medium of a store. */
export async function openMedium(name: StoreName): Promise<OpenMedium> {
  if (name === "postgres") return await openPostgres();
  return { medium: folderMedium(name), [Symbol.asyncDispose]: nothing };
}
