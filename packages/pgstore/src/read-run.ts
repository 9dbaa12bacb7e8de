import type { RunRecord } from "@pulse-ts/durable";
import type { Database, Row, RunOptions } from "./database.ts";
import { recordOf } from "./rows.ts";
import type { FoundEntry, FoundRun } from "./rows.ts";
import type { RunKey } from "./run-key.ts";
import type { Schema } from "./schema.ts";
import type { Step } from "./steps.ts";

/** Reads whole records: one statement, so revision and entries belong together. */
export interface RunReader {
  /** `undefined` when nothing was ever saved. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
  read(step: Step, run: RunKey, options?: RunOptions): Promise<RunRecord | undefined>;
}

export function runReader(database: Database, schema: Schema): RunReader {
  const text = `SELECT r.revision::text AS run_revision, r.status, r.version, r.resumes::text, r.checksum AS run_checksum,
    e.key, e.revision::text, e.checksum, e.text, e.bytes
    FROM ${schema.table("runs")} r LEFT JOIN ${schema.table("entries")} e ON e.run_no = r.run_no
    WHERE sha256(r.run_id) = $1 AND r.status IS NOT NULL`;
  return {
    async read(step, run, options) {
      const rows = await database.run({ step, text, values: [run.digest], prepared: true }, options);
      const [first] = rows;
      if (first === undefined) return undefined;
      const entries = first["key"] === null ? [] : rows.map(foundEntry);
      return recordOf(run, foundRun(first), entries, schema.table);
    },
  };
}

function foundRun(row: Row): FoundRun {
  return {
    revision: Number(row["run_revision"]),
    status: String(row["status"]),
    version: textOf(row["version"]),
    resumes: Number(row["resumes"]),
    checksum: Number(row["run_checksum"]),
  };
}

/** Bytes of UTF-8; NULL is told by the checksum. */
export const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString() : "");

// The types of the columns are what the schema says.
const foundEntry = (row: Row): FoundEntry => ({
  key: row["key"] as Buffer,
  revision: Number(row["revision"]),
  checksum: Number(row["checksum"]),
  text: row["text"] as Buffer,
  bytes: row["bytes"] as Buffer | null,
});
