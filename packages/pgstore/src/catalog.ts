import type { CatalogRun } from "@pulse-ts/durable";
import { busy } from "@pulse-ts/durable/define-store";
import type { CatalogAdapter } from "@pulse-ts/durable/define-store";
import type { ContentReader } from "./content.ts";
import type { Database, Row, Statement } from "./database.ts";
import { freeRow } from "./lease.ts";
import { textOf } from "./read-run.ts";
import type { RunReader } from "./read-run.ts";
import { runChecksum } from "./rows.ts";
import { afterPrefix, orderedBytes, runKey, textOfOrdered } from "./run-key.ts";
import type { Schema } from "./schema.ts";

export interface CatalogParts {
  readonly database: Database;
  readonly schema: Schema;
  readonly reader: RunReader;
  readonly contents: ContentReader;
  /** Looks at the schema before anything else. */
  readonly ready: (runId: string) => Promise<void>;
}

/** Lists, reads, counts and deletes runs without owning them (STORE-7). */
export function pgCatalog({ database, schema, reader, contents, ready }: CatalogParts) {
  const runs = schema.table("runs");
  return {
    async list(query) {
      await ready("");
      return (await database.run(listStatement(runs, query))).map(listed);
    },
    async read(runId) {
      await ready(runId);
      return await reader.read("catalog-read", runKey(runId));
    },
    async content(runId, digest) {
      await ready(runId);
      return await contents.read(digest);
    },
    async delete(runId) {
      await ready(runId);
      const run = runKey(runId);
      const inside = { begin: "delete-begin", commit: "delete-commit" } as const;
      await database.transaction(inside, async (send) => {
        // The row is locked first, and what belongs to it is looked for after that: all that an owner wrote is seen then.
        const text = `SELECT run_no::text, ${freeRow("r")} AS free, holder_name FROM ${runs} r
          WHERE sha256(run_id) = $1 FOR UPDATE`;
        const [found] = await send({ step: "delete-run", text, values: [run.digest] });
        if (found === undefined) return;
        if (found["free"] !== true) throw busy("deleting", runId, String(found["holder_name"]));
        for (const table of ["content_uses", "entries", "runs"]) {
          const gone = `DELETE FROM ${schema.table(table)} WHERE run_no = $1::bigint`;
          await send({ step: "delete-run", text: gone, values: [found["run_no"]] });
        }
      });
    },
    async count(query) {
      await ready("");
      const [found] = await database.run(countStatement(runs, query));
      return Number(found?.["count"]);
    },
  } satisfies CatalogAdapter;
}

/** A page in order: read from an index, at a cost that does not depend on how many runs there are. */
export function listStatement(runs: string, query: Query & { readonly limit: number }): Statement {
  const { where, values } = matching(query);
  values.push(query.limit);
  const text = `SELECT run_id, status, version, resumes::text, revision::text, checksum FROM ${runs}
    WHERE ${where} ORDER BY ${headFor(query).expression}, run_id LIMIT $${values.length}::bigint`;
  return { step: "catalog-list", text, values };
}

export function countStatement(runs: string, query: Query): Statement {
  const { where, values } = matching(query);
  return { step: "catalog-count", text: `SELECT count(*)::text AS count FROM ${runs} WHERE ${where}`, values };
}

/** What an index orders by: the beginning of the id. Ids that begin alike are ordered by the whole. */
interface Head {
  readonly expression: string;
  readonly bytes: number;
}

const headOf = (bytes: number): Head => ({ expression: `substring(run_id, 1, ${bytes})`, bytes });
/** As `runs_by_status` and `runs_by_id` have it. */
const headFor = ({ status }: Query): Head => headOf(status === undefined ? 512 : 510);

export interface Query {
  readonly status?: CatalogRun["status"] | undefined;
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
}

/** Each bound twice: once for the index, and once exactly. */
function matching(query: Query): { readonly where: string; readonly values: unknown[] } {
  const { status, prefix, after } = query;
  const head = headFor(query);
  const values: unknown[] = [];
  const parameter = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const bound = (compared: string, bytes: Buffer): string => {
    const whole = parameter(bytes, "bytea");
    const short = parameter(bytes.subarray(0, head.bytes), "bytea");
    return `${head.expression} ${compared.slice(0, 1)}= ${short} AND run_id ${compared} ${whole}`;
  };
  const wheres = [status === undefined ? "status IS NOT NULL" : `status = ${parameter(status, "text")}`];
  if (after !== undefined) wheres.push(bound(">", orderedBytes(after)));
  if (prefix !== undefined && prefix !== "") {
    const from = orderedBytes(prefix);
    const end = afterPrefix(from);
    wheres.push(bound(">=", from), ...(end === undefined ? [] : [bound("<", end)]));
  }
  return { where: wheres.join(" AND "), values };
}

function listed(row: Row): CatalogRun {
  // The types of the columns are what the schema says.
  const bytes = row["run_id"] as Buffer;
  const runId = textOfOrdered(bytes);
  const run = {
    runId: runId ?? bytes.toString("hex"),
    status: row["status"] as CatalogRun["status"],
    revision: Number(row["revision"]),
    version: textOf(row["version"]),
    resumes: Number(row["resumes"]),
  };
  if (runId !== undefined && runChecksum(runKey(runId), run) === row["checksum"]) return run;
  return { ...run, problem: `listing runs: the row of run ${JSON.stringify(run.runId)} is damaged` };
}
