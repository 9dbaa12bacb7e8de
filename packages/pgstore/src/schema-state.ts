/** What a schema holds, judged without a database: pure. */

/** One step from an empty schema to the newest, and the tables with the columns that are there after it. */
export interface Migration {
  /** From 1. */
  readonly number: number;
  /** The file in `migrations`, without its ending. */
  readonly name: string;
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

const runColumns =
  "run_no revision lease_end checksum epoch resumes owner holder holder_name status version run_id".split(" ");

export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: "001-runs",
    tables: {
      pulse_migrations: ["number", "name", "applied_at"],
      runs: runColumns,
      entries: ["run_no", "revision", "checksum", "key_digest", "key", "text", "bytes"],
    },
  },
  {
    number: 2,
    name: "002-contents",
    tables: { contents: ["digest", "size", "used_at", "bytes"], content_uses: ["digest", "run_no"] },
  },
  { number: 3, name: "003-catalogue", tables: {} },
];

/** The version of the schema that this package reads and writes. */
export const schemaVersion = migrations.length;

/** What was found in the schema. */
export interface FoundSchema {
  /** Whether there is a schema of this name. */
  readonly exists: boolean;
  /** The columns of each table in it. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** The rows of `pulse_migrations`; empty when there is no such table. */
  readonly applied: readonly { readonly number: number; readonly name: string }[];
}

export type SchemaState =
  | { readonly kind: "current" }
  /** `version` 0: nothing of the store is there. */
  | { readonly kind: "older"; readonly version: number }
  | { readonly kind: "newer"; readonly version: number }
  | { readonly kind: "foreign"; readonly table: string }
  | { readonly kind: "partial"; readonly what: string };

export function judgeSchema({ tables, applied }: FoundSchema): SchemaState {
  const marks = tables["pulse_migrations"];
  if (marks === undefined || !sameColumns(marks, migrations[0]?.tables["pulse_migrations"] ?? [])) {
    const table = Object.keys(tables).find((name) => ownTables.has(name));
    if (table === undefined) return { kind: "older", version: 0 };
    // Every table of the store but this one: somebody lost it, and it is not another application's.
    const rest = migrations.flatMap((migration) => Object.entries(migration.tables));
    const others = rest.filter(([name]) => name !== "pulse_migrations");
    return marks === undefined && others.every(([name, columns]) => sameColumns(tables[name] ?? [], columns))
      ? { kind: "partial", what: "the table pulse_migrations is missing" }
      : { kind: "foreign", table };
  }
  const numbers = applied.map(({ number }) => number).toSorted((a, b) => a - b);
  const version = numbers.at(-1) ?? 0;
  if (version > schemaVersion) return { kind: "newer", version };
  const gap = migrations.find(({ number }) => number <= version && !numbers.includes(number));
  if (gap !== undefined) return { kind: "partial", what: `migration ${gap.name} was never done, but a later one was` };
  if (version === 0) return { kind: "partial", what: "the table pulse_migrations is empty" };
  for (const migration of migrations) {
    for (const [name, columns] of Object.entries(migration.tables)) {
      const found = tables[name];
      if (migration.number > version) {
        if (found !== undefined) return { kind: "partial", what: `the table ${name} is there before its migration` };
      } else if (found === undefined) return { kind: "partial", what: `the table ${name} is missing` };
      else if (!sameColumns(found, columns)) return { kind: "partial", what: `the table ${name} has other columns` };
    }
  }
  return version === schemaVersion ? { kind: "current" } : { kind: "older", version };
}

const ownTables = new Set(migrations.flatMap(({ tables }) => Object.keys(tables)));

const sameColumns = (found: readonly string[], wanted: readonly string[]): boolean =>
  found.length === wanted.length && wanted.every((name) => found.includes(name));
