import { whenFree } from "./busy.ts";
import { NewerSchema, Refused } from "./failure.ts";
import { atStep } from "./fault-points.ts";
import type { Parts } from "./parts.ts";
import { applicationId } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** What a file is, as far as its header and its tables tell. */
type Found =
  | { readonly kind: "empty" }
  | { readonly kind: "store"; readonly version: number }
  | { readonly kind: "other" };

/** How far the schema of this file has come; 0 when it has none yet. Changes nothing. @throws Refused, NewerSchema */
export function schemaVersion({ migrations }: Pick<Parts, "migrations">, sqlite: Sqlite): number {
  const found = sqlite.snapshot(() => look(sqlite));
  if (found.kind === "empty") return 0;
  if (found.kind === "other") {
    throw new Refused(
      "the file is the database of another application, and nothing of it was changed; give the store a file of its own",
    );
  }
  if (found.version > migrations.length) throw new NewerSchema(found.version, migrations.length);
  return found.version;
}

function look(sqlite: Sqlite): Found {
  const id = sqlite.pragma("application_id");
  const version = Number(sqlite.pragma("user_version"));
  if (id === applicationId) return { kind: "store", version };
  const objects =
    (sqlite.get("SELECT count(*) AS count FROM sqlite_schema") as { readonly count: number } | undefined)?.count ?? 0;
  return id === 0 && version === 0 && objects === 0 ? { kind: "empty" } : { kind: "other" };
}

/** Brings the schema to this version's, whole or not at all; of several that try at once one does it. */
export async function migrate(parts: Parts, sqlite: Sqlite): Promise<void> {
  if (schemaVersion(parts, sqlite) === parts.migrations.length) return;
  await whenFree(parts.busyMs, () => {
    atStep(parts.at, "migrate-begin", () => sqlite.exec("BEGIN IMMEDIATE"));
    try {
      // Somebody else may have done it meanwhile.
      const from = schemaVersion(parts, sqlite);
      for (const { sql } of parts.migrations.slice(from)) atStep(parts.at, "migrate-schema", () => sqlite.exec(sql));
      atStep(parts.at, "migrate-version", () => {
        sqlite.pragma(`application_id = ${applicationId}`);
        sqlite.pragma(`user_version = ${parts.migrations.length}`);
      });
      atStep(parts.at, "migrate-commit", () => sqlite.exec("COMMIT"));
    } finally {
      if (sqlite.inTransaction) sqlite.exec("ROLLBACK");
    }
  });
}
