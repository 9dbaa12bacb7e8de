import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Doing } from "@pulse-ts/durable/define-store";
import type { Database } from "./database.ts";
import { limitOf } from "./limit.ts";
import { lookAtSchema, quoted, schemaProblem } from "./schema.ts";
import type { Schema } from "./schema.ts";
import { judgeSchema, migrations, schemaVersion } from "./schema-state.ts";

/** What `migrate()` did. */
export interface Migrated {
  /** The version of the schema that was found; 0 when there was none. */
  readonly from: number;
  readonly to: number;
}

/**
 * Brings the schema to this package's version, in one transaction: whoever is killed meanwhile leaves it as it was. Those
 * that start at once wait for each other, and all but the first find nothing to do.
 * @throws PULSE_STORE for tables of another application and for a schema that is there in part; PULSE_NEWER_FORMAT
 */
export async function migrateSchema(
  database: Database,
  schema: Schema,
  { doing, limitMs, to = schemaVersion }: { readonly doing: Doing; readonly limitMs: number; readonly to?: number },
): Promise<Migrated> {
  const steps = { begin: "migrate-begin", commit: "migrate-commit", limit: limitOf(limitMs) } as const;
  return await database.transaction(steps, async (run) => {
    await run({
      step: "migrate-step",
      text: "SELECT pg_advisory_xact_lock($1::bigint)",
      values: [lockKey(schema.name)],
    });
    const found = await lookAtSchema(run, schema);
    const state = judgeSchema(found);
    if (state.kind === "current") return { from: schemaVersion, to: schemaVersion };
    if (state.kind !== "older") throw schemaProblem(doing, schema.name, state);
    if (!found.exists) await run({ step: "migrate-step", text: `CREATE SCHEMA ${quoted(schema.name)}` });
    await run({ step: "migrate-step", text: `SET LOCAL search_path TO ${quoted(schema.name)}` });
    for (const { number, name } of migrations) {
      if (number <= state.version || number > to) continue;
      await run({ step: "migrate-step", text: await readFile(migrationFile(name), "utf8") });
      await run({
        step: "migrate-step",
        text: `INSERT INTO ${schema.table("pulse_migrations")} (number, name) VALUES ($1, $2)`,
        values: [number, name],
      });
    }
    return { from: state.version, to };
  });
}

/** The files are packed with the package. */
const migrationFile = (name: string): URL => new URL(`../migrations/${name}.sql`, import.meta.url);

/** One lock a schema. */
const lockKey = (schema: string): string =>
  hash("sha256", `pulse-pgstore migrate ${schema}`, "buffer").readBigInt64BE(0).toString();
