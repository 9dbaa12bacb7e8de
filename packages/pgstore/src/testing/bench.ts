import pg from "pg";
import { sharedDatabase } from "@pulse-ts/test-postgres";
import type { PgStore, PgStoreOptions } from "../index.ts";
import { openPgStore } from "../open.ts";
import type { AtMoment } from "../steps.ts";
import { openLink } from "./link.ts";
import type { Link } from "./link.ts";

/** A schema of a test's own with the tables of the store, and a way to it that can be disturbed. */
export interface PgBench extends AsyncDisposable {
  /** Past the link. */
  readonly url: string;
  readonly schema: string;
  readonly link: Link;
  /** A store whose connections go over the link. Closed with the bench. */
  open(options?: PgStoreOptions, at?: AtMoment): PgStore;
  /** A store that nothing disturbs. */
  openDirect(options?: PgStoreOptions): PgStore;
  /** A store with a pool of the test's own. */
  openWith(options: PgStoreOptions): PgStore;
  /** The rows that the server gives to one statement, past the link. */
  ask(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** A connection past the link, for what needs one of its own. */
  connect(): Promise<pg.Client>;
}

/** The statement with which a save writes. */
export const saveStatement = /UPDATE [^=]+ SET revision/;

let ofThisFile: Promise<string> | undefined;
let schemas = 0;

/** Opens a bench in the database that all tests of a file share, or in that of `url`. */
export async function openBench(url?: string): Promise<PgBench> {
  const database = url ?? (await (ofThisFile ??= sharedDatabase()));
  schemas += 1;
  const schema = `bench ${schemas}`;
  const link = await openLink(database);
  const stores: PgStore[] = [];
  const clients: pg.Client[] = [];
  const openStore = (address: string, options: PgStoreOptions, at?: AtMoment): PgStore => {
    const store = openPgStore({ connectionString: address, schema, ...options }, at);
    stores.push(store);
    return store;
  };
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database });
    // A server that is stopped ends it.
    client.on("error", () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  };
  let asking: Promise<pg.Client> | undefined;
  await openStore(database, {}).migrate();
  return {
    url: database,
    schema,
    link,
    open: (options = {}, at) => openStore(link.url, options, at),
    openDirect: (options = {}) => openStore(database, options),
    openWith(options) {
      const store = openPgStore({ schema, ...options }, undefined);
      stores.push(store);
      return store;
    },
    async ask(text, values = []) {
      asking ??= connect();
      return (await (await asking).query<Record<string, unknown>>(text, [...values])).rows;
    },
    connect,
    async [Symbol.asyncDispose]() {
      link.restore();
      for (const store of stores) await store.close();
      for (const client of clients) await client.end().catch(() => undefined);
      await link[Symbol.asyncDispose]();
    },
  };
}
