import type { Client, Pool } from "pg";
import type { CallOptions, Session } from "@pulse-ts/durable";
import {
  checkCollectOptions,
  defineStore,
  describeHolder,
  doingWith,
  ownHolder,
  refusal,
  usage,
} from "@pulse-ts/durable/define-store";
import type { OwnedRun } from "@pulse-ts/durable/define-store";
import { pgCatalog } from "./catalog.ts";
import { collectContents } from "./collect.ts";
import { contentReader } from "./content.ts";
import { database as openDatabase } from "./database.ts";
import { holderConnection, noHolder } from "./holder.ts";
import type { Holder } from "./holder.ts";
import { leases as openLeases } from "./lease.ts";
import type { Ownership } from "./lease.ts";
import { limitOf, TimeIsOver, within } from "./limit.ts";
import { migrateSchema } from "./migrate.ts";
import { notifier } from "./notice.ts";
import type { PgNotice } from "./notice.ts";
import type { PgStore } from "./open.ts";
import { runReader } from "./read-run.ts";
import { runKey } from "./run-key.ts";
import { saver } from "./save.ts";
import { schemaNamed } from "./schema.ts";
import { schemaCheck } from "./schema-check.ts";
import { explained } from "./explained.ts";
import { explainPostgres } from "./sqlstate.ts";
import type { AtMoment } from "./steps.ts";

export interface StoreParts {
  readonly pool: Pool;
  readonly ownsPool: boolean;
  /** A connection beside the pool; absent where the host wants none. */
  readonly newHolder: (() => Client) | undefined;
  /** For messages. */
  readonly server: string;
  readonly schema: string;
  readonly leaseMs: number;
  readonly acquireMs: number;
  readonly statementMs: number;
  readonly closeMs: number;
  readonly contentBytesMin: number;
  readonly onNotice: ((notice: PgNotice) => void) | undefined;
  readonly at: AtMoment | undefined;
}

export function openStore(parts: StoreParts): PgStore {
  const { pool, closeMs, leaseMs, acquireMs, at } = parts;
  const medium = `${parts.server}, schema ${JSON.stringify(parts.schema)}`;
  const notify = notifier(parts.onNotice);
  const schema = schemaNamed(parts.schema);
  const database = openDatabase({ pool, statementMs: parts.statementMs, at });
  // An idle connection that breaks would end the process if nobody listened; the pool has replaced it already.
  const onIdleError = (): void => notify("connection-lost", "a connection that nothing was using was lost");
  pool.on("error", onIdleError);
  const ready = schemaCheck({ database, schema, notify });
  let holder: Holder = noHolder;
  const leases = openLeases({
    database,
    schema,
    holder: () => holder,
    holderName: async () => describeHolder(await ownHolder()),
    leaseMs,
    notify,
  });
  if (parts.newHolder !== undefined) {
    holder = holderConnection({
      newClient: parts.newHolder,
      connectMs: Math.min(acquireMs, holderConnectMs),
      at,
      notify,
      register: leases.register,
      isNeeded: leases.ownsAny,
      onProxy: database.prepareNothing,
    });
  } else {
    notify("lease-only", "there is no holder connection: after a crash runs are free when their leases run out");
  }
  const reader = runReader(database, schema);
  const contents = contentReader(database, schema);
  const save = saver({ database, schema, leaseMs, medium });
  /** What each call to acquire took. */
  const ownerships = new WeakMap<CallOptions, Ownership>();
  let closing: Promise<void> | undefined;
  const refuseClosed = (what: string): void => {
    if (closing !== undefined) throw usage("", "STORE-2", `${what}: the store is closed; open it anew`);
  };

  const store = defineStore({
    medium,
    contentBytesMin: parts.contentBytesMin,
    explain: explainPostgres,
    async own(runId, call): Promise<OwnedRun> {
      refuseClosed("acquiring a run");
      const limit = limitOf(acquireMs, call.signal);
      await within(ready(doingWith("acquiring", runId, medium), limit), limit);
      const run = runKey(runId);
      const owned = await leases.acquire(run, limit);
      ownerships.set(call, owned);
      let saved = false;
      return {
        load: async () => await reader.read("load", run, { patient: true, repeatable: true }),
        async save(next) {
          saved = true;
          return await save.save(owned, next);
        },
        content: async (digest) => await contents.read(digest, { patient: true, repeatable: true }),
        async release() {
          await leases.release(owned, saved);
        },
      };
    },
    catalog: pgCatalog({
      database,
      schema,
      reader,
      contents,
      async ready(runId) {
        refuseClosed("using the catalogue");
        await ready({ what: "using the catalogue", runId, medium }, limitOf(parts.statementMs));
      },
    }),
  });

  return {
    catalog: store.catalog,
    async acquire(runId, options) {
      const call = { ...options };
      const session = await store.acquire(runId, call);
      return closedInTime(session, runId, () => {
        const owned = ownerships.get(call);
        if (owned !== undefined) leases.forget(owned);
      });
    },
    async collect(options = {}) {
      checkCollectOptions(options);
      refuseClosed("collecting contents");
      const doing = { what: "collecting contents", runId: "", medium };
      return await explained(doing, async () => {
        options.signal?.throwIfAborted();
        await ready(doing, limitOf(parts.statementMs));
        return await collectContents({ database, schema, reader }, options);
      });
    },
    async migrate() {
      refuseClosed("migrating");
      const doing = { what: "migrating the schema", runId: "", medium };
      return await explained(doing, async () => {
        const limitMs = Math.max(parts.statementMs, migrateMsMin);
        return await migrateSchema(database, schema, { doing, limitMs });
      });
    },
    async close() {
      closing ??= (async () => {
        leases.close();
        await holder.close();
        if (parts.ownsPool) await within(pool.end(), limitOf(closeMs)).catch(() => undefined);
        pool.off("error", onIdleError);
      })();
      await closing;
    },
  };

  /** PG-8: closing waits for the session's save and lets the run go, but not for ever. */
  function closedInTime(session: Session, runId: string, forget: () => void): Session {
    return {
      ...session,
      async close() {
        try {
          await within(session.close(), limitOf(closeMs));
        } catch (error) {
          forget();
          if (!(error instanceof TimeIsOver)) throw error;
          const found = `the run could not be let go within ${closeMs} ms; its lease ends by itself within ${leaseMs} ms`;
          throw refusal(doingWith("closing", runId, medium), found, error.code, error);
        }
      },
    };
  }
}

/** Milliseconds for the holder connection: an acquire that waits for it has time left without it. */
const holderConnectMs = 10_000;
/** A migration of many rows may take its time. */
const migrateMsMin = 600_000;
