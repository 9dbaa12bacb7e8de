import { PulseError } from "@pulse-ts/core";
import { refusal } from "@pulse-ts/durable/define-store";
import type { Doing } from "@pulse-ts/durable/define-store";
import type { RunInside } from "./database.ts";
import { schemaVersion } from "./schema-state.ts";
import type { FoundSchema, SchemaState } from "./schema-state.ts";

/** Where the tables of a store are. */
export interface Schema {
  readonly name: string;
  /** A table with its schema, quoted. */
  table(name: string): string;
}

/** Whatever the name holds, it stays one name. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const schemaNamed = (name: string): Schema => ({ name, table: (table) => `${quoted(name)}.${quoted(table)}` });

/** What keeps a text from being the name of a schema of the store's own; `undefined` when nothing does. */
export function schemaNameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.includes("\0")) return "has a NUL in it";
  if (Buffer.from(name).toString() !== name) return "has an unpaired surrogate";
  // PostgreSQL would cut it, and two names could become one.
  if (Buffer.byteLength(name) > nameBytesMax) return `is longer than ${nameBytesMax} bytes`;
  if (name.startsWith("pg_") || name === "information_schema") return "belongs to PostgreSQL itself";
  return undefined;
}

const nameBytesMax = 63;

/** What the schema holds, and how transactions are here. */
export interface LookedAt extends FoundSchema {
  readonly isolation: string;
  readonly synchronousCommit: string;
  readonly readOnly: boolean;
}

/** Looks at the schema without touching it. */
export async function lookAtSchema(run: RunInside, { name, table }: Schema): Promise<LookedAt> {
  const [found] = await run({
    step: "schema-look",
    text: `SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS "exists",
      pg_catalog.current_setting('default_transaction_isolation') AS isolation,
      pg_catalog.current_setting('synchronous_commit') AS synchronous_commit,
      pg_catalog.current_setting('transaction_read_only') = 'on' AS read_only,
      (SELECT coalesce(pg_catalog.json_object_agg(t.relname, t.columns), '{}') FROM (
        SELECT c.relname, pg_catalog.array_agg(a.attname::text) AS columns
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        GROUP BY c.relname) t)::text AS tables`,
    values: [name],
  });
  const tables = JSON.parse(String(found?.["tables"])) as Readonly<Record<string, readonly string[]>>;
  const marks = tables["pulse_migrations"] ?? [];
  const applied = ["number", "name"].every((column) => marks.includes(column))
    ? await run({ step: "schema-look", text: `SELECT number::text, name::text FROM ${table("pulse_migrations")}` })
    : [];
  return {
    exists: found?.["exists"] === true,
    isolation: String(found?.["isolation"]),
    synchronousCommit: String(found?.["synchronous_commit"]),
    readOnly: found?.["read_only"] === true,
    tables,
    applied: applied.map((row) => ({ number: Number(row["number"]), name: String(row["name"]) })),
  };
}

/** The error for a schema that cannot be used as it is; `undefined` for one that can. */
export function schemaProblem(doing: Doing, name: string, state: SchemaState): PulseError | undefined {
  const schema = `the schema ${JSON.stringify(name)}`;
  if (state.kind === "current") return undefined;
  if (state.kind === "newer") {
    const message = `${doing.what}: ${schema} has version ${state.version}, and this package knows ${schemaVersion}; update @pulse-ts/pgstore; at ${doing.medium}`;
    return new PulseError("PULSE_NEWER_FORMAT", message, {
      details: { runId: doing.runId, next: "newer-package", found: state.version, supported: schemaVersion },
    });
  }
  if (state.kind === "older") {
    const found =
      state.version === 0 ? "is not set up" : `has version ${state.version}, and ${schemaVersion} is needed`;
    return refusal(doing, `${schema} ${found}; call migrate() of the store once, then try again`);
  }
  if (state.kind === "foreign") {
    const other = `${schema} belongs to another application: its table ${JSON.stringify(state.table)} is not Pulse's`;
    return refusal(doing, `${other}; give the option schema a name of its own`);
  }
  return refusal(doing, `${schema} is there in part: ${state.what}; restore the schema from a backup`);
}
