import { isPulseError } from "@pulse-ts/core";
import { contentsNamed, contentWindowMsDefault, isDigest } from "@pulse-ts/durable/define-store";
import type { CollectOptions } from "@pulse-ts/durable/define-store";
import { byteaArray } from "./binary-array.ts";
import type { Database, Row } from "./database.ts";
import { freeRow } from "./lease.ts";
import type { RunReader } from "./read-run.ts";
import { runKey, textOfOrdered } from "./run-key.ts";
import type { Schema } from "./schema.ts";
import { sqlstate } from "./sqlstate.ts";

/** What a collection found and did. */
export interface CollectedContents {
  /** Contents that stay: some run may name them, or they were used within the window. */
  readonly kept: number;
  readonly removed: number;
  readonly removedBytes: number;
  /** Runs whose records cannot be read. As long as there are any, what they name is not known, and nothing goes. */
  readonly unreadable: readonly string[];
}

export interface CollectParts {
  readonly database: Database;
  readonly schema: Schema;
  readonly reader: RunReader;
}

/**
 * Removes the contents that no record names (STORE-8). Safe beside any number of owners, readers and collections, and
 * when it is killed anywhere: each statement is whole, and the next collection goes on where this one ended.
 *
 * Why nothing that a record names is ever lost: a save writes down which contents its run uses, in the statement that
 * names them, and the database lets no content go that is used. A use goes only here, only while nobody owns the run,
 * and only if its record, read as it still is, does not name the content.
 */
export async function collectContents(parts: CollectParts, options: CollectOptions): Promise<CollectedContents> {
  const { windowMs = contentWindowMsDefault, signal } = options;
  const { database, schema } = parts;
  const stale: Stale[] = [];
  const unreadable: string[] = [];
  for await (const run of freeRuns(parts, signal)) {
    const named = await namedBy(parts, run);
    if (named === undefined) unreadable.push(run.runId);
    else stale.push({ ...run, named });
  }
  let removed = { count: 0, bytes: 0 };
  if (unreadable.length === 0) {
    for (const run of stale) {
      signal?.throwIfAborted();
      await dropUses(parts, run);
    }
    removed = await removeUnused(parts, windowMs, signal);
  }
  await removeUnsaved(parts);
  const text = `SELECT count(*)::text AS count FROM ${schema.table("contents")}`;
  const [left] = await database.run({ step: "collect-contents", text });
  return { kept: Number(left?.["count"]), removed: removed.count, removedBytes: removed.bytes, unreadable };
}

/** Rows of runs whose process died before their first save: they stand for no run. */
async function removeUnsaved({ database, schema }: CollectParts): Promise<void> {
  const text = `DELETE FROM ${schema.table("runs")} r WHERE r.status IS NULL AND ${freeRow("r")}`;
  await database.run({ step: "collect-runs", text });
}

interface FreeRun {
  readonly runNo: string;
  readonly runId: string;
  readonly revision: string;
}

interface Stale extends FreeRun {
  readonly named: readonly string[];
}

/** Runs that nobody owns and that use contents. What an owned one uses stays as it is. */
async function* freeRuns({ database, schema }: CollectParts, signal: AbortSignal | undefined): AsyncGenerator<FreeRun> {
  const text = `SELECT r.run_no::text, r.run_id, r.revision::text FROM ${schema.table("runs")} r
    WHERE r.run_no > $1::bigint AND ${freeRow("r")}
      AND EXISTS (SELECT FROM ${schema.table("content_uses")} u WHERE u.run_no = r.run_no)
    ORDER BY r.run_no LIMIT ${pageRuns}`;
  let rows: readonly Row[];
  let after = "0";
  do {
    signal?.throwIfAborted();
    rows = await database.run({ step: "collect-runs", text, values: [after] });
    for (const row of rows) {
      after = String(row["run_no"]);
      // The type of the column is what the schema says.
      const bytes = row["run_id"] as Buffer;
      yield { runNo: after, runId: textOfOrdered(bytes) ?? bytes.toString("hex"), revision: String(row["revision"]) };
    }
  } while (rows.length === pageRuns);
}

const pageRuns = 100;

/** The contents that the record names; `undefined` when it cannot be read. One record is held at a time. */
async function namedBy({ reader }: CollectParts, { runId }: FreeRun): Promise<readonly string[] | undefined> {
  try {
    const record = await reader.read("collect-read", runKey(runId));
    return record === undefined ? [] : [...new Set(contentsNamed(record))].filter(isDigest);
  } catch (error) {
    if (isPulseError(error, "PULSE_CORRUPT") || isPulseError(error, "PULSE_NEWER_FORMAT")) return undefined;
    throw error;
  }
}

/**
 * If the run is still as it was read and free, no earlier owner can save from now on, and the uses that the record does
 * not tell go.
 */
async function dropUses({ database, schema }: CollectParts, { runNo, revision, named }: Stale): Promise<void> {
  const text = `WITH run AS (
      UPDATE ${schema.table("runs")} r SET owner = NULL, holder = NULL, holder_name = NULL, lease_end = '-infinity'
      WHERE r.run_no = $1::bigint AND r.revision = $2::bigint AND ${freeRow("r")} RETURNING r.run_no
    )
    DELETE FROM ${schema.table("content_uses")} u USING run
    WHERE u.run_no = run.run_no AND NOT u.digest = ANY ($3::bytea[])`;
  const values = [runNo, revision, byteaArray(named.map((digest) => Buffer.from(digest, "hex")))];
  await database.run({ step: "collect-uses", text, values });
}

/** Removes what nothing uses and no save has used within the window, some at a time. */
async function removeUnused(
  { database, schema }: CollectParts,
  windowMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const table = schema.table("contents");
  const text = `WITH due AS (
      SELECT c.digest FROM ${table} c
      WHERE c.digest > $1 AND c.used_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
        AND NOT EXISTS (SELECT FROM ${schema.table("content_uses")} u WHERE u.digest = c.digest)
      ORDER BY c.digest LIMIT ${pageContents} FOR UPDATE OF c SKIP LOCKED
    ), gone AS (
      DELETE FROM ${table} c USING due WHERE c.digest = due.digest RETURNING c.size
    )
    SELECT (SELECT digest FROM due ORDER BY digest DESC LIMIT 1) AS last, (SELECT count(*)::text FROM gone) AS count,
      (SELECT coalesce(sum(size), 0)::text FROM gone) AS bytes`;
  let count = 0;
  let bytes = 0;
  let after: unknown = Buffer.alloc(0);
  for (let refused = 0; ;) {
    signal?.throwIfAborted();
    let row: Row | undefined;
    try {
      [row] = await database.run({ step: "collect-contents", text, values: [after, windowMs] });
    } catch (error) {
      // Used again in the same moment: the foreign key let none of this page go.
      if (sqlstate(error) !== foreignKeyViolation || (refused += 1) > refusedMax) throw error;
      continue;
    }
    count += Number(row?.["count"]);
    bytes += Number(row?.["bytes"]);
    if (row?.["last"] == null) return { count, bytes };
    after = row["last"];
  }
}

const pageContents = 100;
const refusedMax = 10;
const foreignKeyViolation = "23503";
