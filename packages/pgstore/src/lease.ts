import { randomUUID } from "node:crypto";
import { busy } from "@pulse-ts/durable/define-store";
import type { Database, Row } from "./database.ts";
import type { Holder } from "./holder.ts";
import type { Limit } from "./limit.ts";
import { limitOf, within } from "./limit.ts";
import type { Notify } from "./notice.ts";
import type { RunKey } from "./run-key.ts";
import type { Schema } from "./schema.ts";

/** One ownership of one run. */
export interface Ownership {
  readonly run: RunKey;
  readonly runNo: string;
  readonly epoch: string;
  /** Random: no other ownership of any run has it. */
  readonly owner: string;
  /** The revision that was found; 0 when nothing was ever saved. */
  readonly revision: number;
}

/** Who owns which run, on the server and in this process. */
export interface Leases {
  /** @throws PULSE_BUSY when somebody else owns it */
  acquire(run: RunKey, limit: Limit): Promise<Ownership>;
  /** Lets the run go. `saved`: whether a save of this ownership may have been written. */
  release(owned: Ownership, saved: boolean): Promise<void>;
  /** Renews no more: the lease is left to run out. */
  forget(owned: Ownership): void;
  /** Enters the key of the holder's new lock in the rows of all runs that are owned, if they still are. */
  register(): Promise<void>;
  /** Whether any run is owned. */
  ownsAny(): boolean;
  close(): void;
}

export interface LeaseParts {
  readonly database: Database;
  readonly schema: Schema;
  readonly holder: () => Holder;
  /** In words, for others' messages: `process 12 on host-a`. */
  readonly holderName: () => Promise<string>;
  readonly leaseMs: number;
  readonly notify: Notify;
}

export function leases(parts: LeaseParts): Leases {
  const { database, schema, leaseMs, notify } = parts;
  const sql = statements(schema);
  /** By owner. `key`: the lock that the row names. */
  const owned = new Map<string, { readonly one: Ownership; key: string | null }>();
  let timer: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;
  const renewMs = Math.floor(leaseMs / renewalsPerLease);

  const renew = async (): Promise<void> => {
    const asked = [...owned.values()].map(({ one }) => one);
    if (asked.length === 0) return;
    const values = [...idsOf(asked), leaseMs];
    let rows: readonly Row[];
    try {
      await enter();
      // Past everybody who waits for the pool, if there is the connection for it.
      rows =
        (await parts.holder().send("renew", sql.renew, values, renewMs)) ??
        (await database.run({ step: "renew", text: sql.renew, values, prepared: true }, { limit: limitOf(renewMs) }));
    } catch {
      // The next renewal is in time still; and who comes too late is told by the save.
      return;
    }
    const lost = new Set(rows.map((row) => row["owner"]));
    for (const one of asked) {
      if (!lost.has(one.owner) || !owned.delete(one.owner)) continue;
      notify(
        "lease-lost",
        `run ${JSON.stringify(one.run.runId.slice(0, 120))} is owned no more; its next save will be refused`,
      );
    }
  };
  const keepRenewing = (): void => {
    timer ??= setInterval(() => {
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
    }, renewMs).unref();
  };
  const letGo = async (run: RunKey, owner: string): Promise<void> => {
    await database.run({ step: "release", text: sql.release, values: [run.digest, owner], prepared: true }, again);
  };

  const take = async (run: RunKey, limit: Limit): Promise<Ownership> => {
    const key = await within(parts.holder().key(), limit);
    const owner = randomUUID();
    const values = [run.digest, run.bytes, owner, key, await parts.holderName(), leaseMs];
    let sent = false;
    const work = database.run(
      { step: "acquire", text: sql.acquire, values, prepared: true },
      { limit: { until: limit.until }, onSend: () => (sent = true) },
    );
    let rows: readonly Row[];
    try {
      rows = await within(work, limit);
    } catch (error) {
      // It may have been taken, and nobody would know: given back when the answer comes, or as soon as can be.
      work
        .then(
          async (found) => await (found[0]?.["epoch"] == null ? undefined : letGo(run, owner)),
          async () => await (sent ? letGo(run, owner) : undefined),
        )
        .catch(() => undefined);
      throw error;
    }
    const [row] = rows;
    if (row?.["epoch"] == null) throw busy("acquiring", run.runId, String(row?.["holder_name"] ?? "another process"));
    const found: Ownership = {
      run,
      owner,
      runNo: String(row["run_no"]),
      epoch: String(row["epoch"]),
      revision: Number(row["revision"]),
    };
    owned.set(owner, { one: found, key });
    keepRenewing();
    // The lock may have gone while the row was written. Should this fail, the next renewal does it.
    await enter().catch(() => undefined);
    return found;
  };
  /** Enters the key of the lock that is held now in the rows that name another, if they are owned still. */
  const enter = async (): Promise<void> => {
    const key = parts.holder().current();
    if (key === null) return;
    const which = [...owned.values()].filter((each) => each.key !== key);
    if (which.length === 0) return;
    const values = [...idsOf(which.map(({ one }) => one)), key, leaseMs];
    await database.run({ step: "holder-register", text: sql.register, values });
    for (const each of which) each.key = key;
  };

  return {
    acquire: take,
    async release(one, saved) {
      owned.delete(one.owner);
      if (one.revision === 0 && !saved) {
        const values = [one.runNo, one.owner];
        await database.run({ step: "release", text: sql.withdraw, values, prepared: true }, again);
      } else {
        const values = [one.run.digest, one.owner];
        await database.run({ step: "release", text: sql.release, values, prepared: true }, again);
      }
    },
    forget(one) {
      owned.delete(one.owner);
    },
    register: enter,
    ownsAny: () => owned.size > 0,
    close() {
      clearInterval(timer);
      owned.clear();
    },
  };
}

/** It names its owner, so it does nothing the second time. */
const again = { patient: true, repeatable: true } as const;

/** So that two may fail before the lease runs out. */
const renewalsPerLease = 3;

const idsOf = (which: readonly Ownership[]): readonly [string, string] => [
  `{${which.map(({ runNo }) => runNo).join(",")}}`,
  `{${which.map(({ owner }) => owner).join(",")}}`,
];

/**
 * Nobody owns the row, or its owner may not save any more, or the owner's process is gone: its lock is free. The lock is
 * tried shared, so that several who look at once do not take each other for it.
 */
export const freeRow = (row: string): string =>
  `(${row}.owner IS NULL OR ${row}.lease_end <= clock_timestamp() OR
    (${row}.holder IS NOT NULL AND pg_try_advisory_xact_lock_shared(${row}.holder)))`;

const milliseconds = (parameter: string): string => `${parameter}::double precision * interval '1 millisecond'`;

function statements(schema: Schema) {
  const runs = schema.table("runs");
  const owned = `SELECT r.run_no FROM ${runs} r
      JOIN unnest($1::bigint[], $2::uuid[]) AS o (run_no, owner) ON r.run_no = o.run_no AND r.owner = o.owner
      WHERE r.lease_end > clock_timestamp()`;
  return {
    // Who is plainly busy is told so without a lock on the row: nobody waits for an owner's save. Whoever looks free is
    // judged again under the lock, as it is then: of several that try at once one finds it so.
    acquire: `WITH seen AS (
      SELECT ${freeRow("r")} AS free, r.holder_name FROM ${runs} r WHERE sha256(r.run_id) = $1
    ), taken AS (
      INSERT INTO ${runs} AS r (run_id, revision, lease_end, checksum, epoch, resumes, owner, holder, holder_name)
      SELECT $2::bytea, 0, clock_timestamp() + ${milliseconds("$6")}, 0, 1, 0, $3::uuid, $4::bigint, $5::text
      WHERE NOT EXISTS (SELECT FROM seen WHERE NOT free)
      ON CONFLICT (sha256(run_id)) DO UPDATE
      SET epoch = r.epoch + 1, owner = excluded.owner, holder = excluded.holder, holder_name = excluded.holder_name,
        lease_end = excluded.lease_end
      WHERE ${freeRow("r")}
      RETURNING r.run_no::text, r.epoch::text, r.revision::text
    )
    SELECT taken.run_no, taken.epoch, taken.revision, seen.holder_name
    FROM (SELECT 1) AS one LEFT JOIN taken ON true LEFT JOIN seen ON true`,
    // A row that somebody has locked is left out: its own save renews it, and no other run waits for it.
    renew: `WITH mine AS (
      ${owned} FOR NO KEY UPDATE OF r SKIP LOCKED
    ), renewed AS (
      UPDATE ${runs} r SET lease_end = clock_timestamp() + ${milliseconds("$3")} FROM mine WHERE r.run_no = mine.run_no
    )
    SELECT o.owner::text FROM unnest($1::bigint[], $2::uuid[]) AS o (run_no, owner)
    LEFT JOIN ${runs} r ON r.run_no = o.run_no AND r.owner = o.owner AND r.lease_end > clock_timestamp()
    WHERE r.run_no IS NULL`,
    // Only what is still owned, and only while it is: a lease that ran out stays so.
    register: `UPDATE ${runs} r SET holder = $3::bigint, lease_end = clock_timestamp() + ${milliseconds("$4")}
      FROM (${owned} FOR NO KEY UPDATE OF r) AS mine WHERE r.run_no = mine.run_no`,
    release: `UPDATE ${runs} r SET owner = NULL, holder = NULL, holder_name = NULL, lease_end = '-infinity'
      WHERE sha256(r.run_id) = $1 AND r.owner = $2::uuid`,
    // Nothing was ever saved: then there is no run.
    withdraw: `DELETE FROM ${runs} WHERE run_no = $1::bigint AND owner = $2::uuid AND status IS NULL`,
  };
}
