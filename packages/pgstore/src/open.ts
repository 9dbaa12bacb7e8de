import pg from "pg";
import type { ConnectionOptions } from "node:tls";
import type { Client, ClientConfig, Pool } from "pg";
import { PulseError } from "@pulse-ts/core";
import type { Catalog, Store } from "@pulse-ts/durable";
import { checkOptions, isText, optional, shown, wholeFrom } from "@pulse-ts/durable/define-store";
import type { CollectOptions, OptionCheck } from "@pulse-ts/durable/define-store";
import type { CollectedContents } from "./collect.ts";
import type { Migrated } from "./migrate.ts";
import type { PgNotice } from "./notice.ts";
import { schemaNameProblem } from "./schema.ts";
import type { AtMoment } from "./steps.ts";
import { openStore } from "./store.ts";

export interface PgStoreOptions {
  /**
   * The address of the database, `postgres://user:password@host:5432/database`: the store makes a pool of its own and ends
   * it with `close()`. Give this or `pool`.
   */
  readonly connectionString?: string;
  /** A pool of the host's. The store takes a connection for one statement at a time, and never ends the pool. */
  readonly pool?: Pool;
  /** The schema that the tables are in, and nothing else; default {@link schemaDefault}. At most 63 bytes. */
  readonly schema?: string;
  /**
   * Secures the connections, with `connectionString`: `true`, or what `tls.connect` takes, such as `{ ca }`. It overrides
   * what the address says about it. Default: what the address says.
   */
  readonly tls?: boolean | ConnectionOptions;
  /** Connections of the store's own pool at most; default {@link connectionsMaxDefault}. The holder connection comes on top. */
  readonly connectionsMax?: number;
  /**
   * The address for the one connection whose lock shows that this process lives (PG-3): default as for the pool. Give the
   * server's own address when the pool goes through a proxy that gives each transaction another connection. `false`: there
   * is none, and the runs of a crashed process are free when their leases run out (PG-6).
   */
  readonly holderConnection?: string | false;
  /**
   * Milliseconds that an owner keeps its run without a sign of life; default {@link leaseMsDefault}, at least
   * {@link leaseMsMin}. It is renewed after a third of it. Longer: slower takeover from a process that is cut off. Shorter:
   * more renewals, and a process that stands still that long loses its runs.
   */
  readonly leaseMs?: number;
  /** Milliseconds that an acquire may take, waiting for a connection included; default {@link acquireMsDefault} (PG-2). */
  readonly acquireMs?: number;
  /** Milliseconds that any other call waits for its connection and its answer; default {@link statementMsDefault}. */
  readonly statementMs?: number;
  /** Milliseconds that closing a session, or the store, may take; default {@link closeMsDefault} (PG-8). */
  readonly closeMs?: number;
  /**
   * Values with more bytes than this are kept as contents: in rows of their own, once for all runs (STORE-8); default
   * {@link contentBytesMinDefault}, at most {@link contentBytesMinMax}.
   */
  readonly contentBytesMin?: number;
  /** Is told what is no error of a call: that only leases show who lives, that a connection broke. What it throws is ignored. */
  readonly onNotice?: (notice: PgNotice) => void;
}

export const schemaDefault = "pulse";
export const connectionsMaxDefault = 10;
export const leaseMsDefault = 30_000;
export const leaseMsMin = 1_000;
export const acquireMsDefault = 30_000;
export const statementMsDefault = 30_000;
export const closeMsDefault = 10_000;
export const contentBytesMinDefault = 16_384;
/** A row is read as a text, and the driver's texts have a limit. */
export const contentBytesMinMax = 16_777_216;

/** A store whose catalogue is there. */
export interface PgStore extends Store {
  readonly catalog: Catalog;
  /**
   * Makes the tables, or brings those of an older version up to date (PG-1): in one transaction, whole or not at all. Nothing
   * calls it by itself. It may be called at any time and by many at once, and changes nothing when nothing is to be done.
   * @throws PULSE_STORE, also for a schema that belongs to another application; PULSE_NEWER_FORMAT
   */
  migrate(): Promise<Migrated>;
  /**
   * Removes big values that no record names any more (STORE-8): those of deleted runs, and of changed ones. Nothing calls it
   * by itself; once a day is a good measure. It reads the record of every run that has big values and that nobody owns, and
   * may be called at any time and by several at once.
   * @throws PULSE_STORE, PULSE_INVALID
   */
  collect(options?: CollectOptions): Promise<CollectedContents>;
  /**
   * Renews no more, lets go the lock that shows that this process lives, and ends the store's own pool; a pool of the host's
   * goes on. Close the sessions before: what they still own can be taken by others then. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Keeps run records in PostgreSQL: for any number of processes on any number of hosts. A save that resolved survives the
 * death of the process, and of the server as far as it keeps what it committed. Nothing is sent before the first call;
 * `migrate()` has to be called once.
 * @throws PULSE_INVALID for options that cannot be
 */
export function pgStore(options: PgStoreOptions): PgStore {
  return openPgStore(options, undefined);
}

/** The same, stopped at each statement: for tests. */
export function openPgStore(options: PgStoreOptions, at: AtMoment | undefined): PgStore {
  checkOptions<PgStoreOptions>("opening a PostgreSQL store", options, storeOptions);
  const { connectionString, pool, tls, holderConnection } = options;
  if ((connectionString === undefined) === (pool === undefined)) {
    throw invalid("connectionString", "give either connectionString or pool");
  }
  if (pool !== undefined && tls !== undefined)
    throw invalid("tls", "tls goes with connectionString; a pool has its own");
  const config: ClientConfig =
    connectionString === undefined ? { ...pool?.options } : addressed("connectionString", connectionString, tls);
  // Its password is not among the enumerable fields.
  if (pool !== undefined) Object.assign(config, { password: pool.options.password });
  const holderConfig =
    typeof holderConnection === "string" ? addressed("holderConnection", holderConnection, tls) : config;
  const makeClient = (): Client =>
    new (pool === undefined ? pg.Client : clientOf(pool))({ ...holderConfig, keepAlive: true });
  const acquireMs = options.acquireMs ?? acquireMsDefault;
  const statementMs = options.statementMs ?? statementMsDefault;
  const max = options.connectionsMax ?? connectionsMaxDefault;
  return openStore({
    pool:
      pool ??
      new pg.Pool({ ...config, max, connectionTimeoutMillis: Math.max(acquireMs, statementMs), allowExitOnIdle: true }),
    ownsPool: pool === undefined,
    newHolder: holderConnection === false ? undefined : makeClient,
    server: addressOf(config),
    schema: options.schema ?? schemaDefault,
    leaseMs: options.leaseMs ?? leaseMsDefault,
    acquireMs,
    statementMs,
    closeMs: options.closeMs ?? closeMsDefault,
    contentBytesMin: options.contentBytesMin ?? contentBytesMinDefault,
    onNotice: options.onNotice,
    at,
  });
}

/** The class that the host's pool makes its connections with. */
const clientOf = (pool: Pool): typeof Client => (pool as { readonly Client?: typeof Client }).Client ?? pg.Client;

/** What the driver makes of an address. @throws PULSE_INVALID without the address: it may hold a password */
function addressed(option: string, address: string, tls: PgStoreOptions["tls"]): ClientConfig {
  const config = {
    connectionString: withoutTls(address, tls),
    keepAlive: true,
    ...(tls === undefined ? {} : { ssl: tls }),
  };
  try {
    const { host } = new pg.Client(config);
    if (host !== "") return config;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") {
      throw invalid(option, "a certificate's file that it names is not there");
    }
  }
  throw invalid(
    option,
    "it cannot be read; give postgres://user:password@host:5432/database, with % escapes where need be",
  );
}

/** The driver lets the address win over `ssl`: so what it says about it is left out when the option is given. */
function withoutTls(address: string, tls: PgStoreOptions["tls"]): string {
  if (tls === undefined || !URL.canParse(address)) return address;
  const url = new URL(address);
  const names = [...url.searchParams.keys()].filter((name) => name.startsWith("ssl"));
  for (const name of names) url.searchParams.delete(name);
  return url.href;
}

/** For messages: never with a user or a password. */
function addressOf(config: ClientConfig): string {
  const { host, port, database } = new pg.Client(config);
  return host.startsWith("/") ? `${host}:${port}/${database ?? ""}` : `postgres://${host}:${port}/${database ?? ""}`;
}

function invalid(path: string, wrong: string): PulseError<"PULSE_INVALID"> {
  const message = `${path}: ${wrong}`;
  return new PulseError("PULSE_INVALID", `opening a PostgreSQL store: ${message}`, {
    details: { problems: [{ code: "PULSE_OPTION_INVALID", message, path }] },
  });
}

const isPool = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly connect?: unknown }).connect === "function" &&
  typeof (value as { readonly options?: unknown }).options === "object" &&
  "totalCount" in value;

const isAddress = (value: unknown): boolean => isText(value) && value !== "";

const storeOptions: Readonly<Record<keyof PgStoreOptions, OptionCheck>> = {
  connectionString: optional(isAddress, "postgres://user:password@host:5432/database"),
  pool: optional(isPool, "a Pool of pg"),
  schema(value) {
    if (value === undefined) return undefined;
    const problem = isText(value) ? schemaNameProblem(value) : "is no string";
    return problem === undefined ? undefined : `is ${shown(value)}, which ${problem}; give the name of a schema`;
  },
  tls: optional(
    (value) => typeof value === "boolean" || (typeof value === "object" && value !== null),
    "true, false or options of tls.connect",
  ),
  connectionsMax: wholeFrom(1, "connections"),
  holderConnection: optional((value) => value === false || isAddress(value), "an address of PostgreSQL, or false"),
  leaseMs: wholeFrom(leaseMsMin, "milliseconds"),
  acquireMs: wholeFrom(1, "milliseconds"),
  statementMs: wholeFrom(1, "milliseconds"),
  closeMs: wholeFrom(1, "milliseconds"),
  contentBytesMin: optional(
    (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= contentBytesMinMax,
    `whole bytes from 0 to ${contentBytesMinMax}`,
  ),
  onNotice: optional((value) => typeof value === "function", "a function"),
};
