import { expect, test } from "vitest";
import { judgeSchema, migrations, schemaVersion } from "./schema-state.ts";
import type { FoundSchema } from "./schema-state.ts";

/** What is found after so many migrations. */
function after(version: number, changed: Partial<FoundSchema> = {}): FoundSchema {
  const done = migrations.slice(0, version);
  return {
    exists: true,
    tables: Object.assign({}, ...done.map(({ tables }) => tables)) as FoundSchema["tables"],
    applied: done.map(({ number, name }) => ({ number, name })),
    ...changed,
  };
}

function without(found: FoundSchema, table: string): FoundSchema {
  const tables = Object.fromEntries(Object.entries(found.tables).filter(([name]) => name !== table));
  return { ...found, tables, applied: table === "pulse_migrations" ? [] : found.applied };
}

test("STORE-9 a schema after each migration is of that version, and after the last it is current", () => {
  expect(judgeSchema(after(0))).toEqual({ kind: "older", version: 0 });
  for (const { number } of migrations.slice(0, -1)) {
    expect(judgeSchema(after(number))).toEqual({ kind: "older", version: number });
  }
  expect(judgeSchema(after(schemaVersion))).toEqual({ kind: "current" });
});

test("STORE-9 a schema that a later package migrated is newer, whatever it holds", () => {
  const current = after(schemaVersion);
  const applied = [...current.applied, { number: schemaVersion + 1, name: "of tomorrow" }];
  const state = { kind: "newer", version: schemaVersion + 1 };
  expect(judgeSchema({ ...current, applied })).toEqual(state);
  expect(judgeSchema({ ...without(current, "entries"), applied })).toEqual(state);
});

test("PG-1 a schema without any one of its tables, or with other columns, is there in part", () => {
  const current = after(schemaVersion);
  for (const table of Object.keys(current.tables)) {
    expect(judgeSchema(without(current, table))).toMatchObject({ kind: "partial" });
    if (table === "pulse_migrations") continue;
    const columns = current.tables[table] ?? [];
    const fewer = { ...current, tables: { ...current.tables, [table]: columns.slice(1) } };
    const more = { ...current, tables: { ...current.tables, [table]: [...columns, "extra"] } };
    expect(judgeSchema(fewer)).toEqual({ kind: "partial", what: `the table ${table} has other columns` });
    expect(judgeSchema(more)).toEqual({ kind: "partial", what: `the table ${table} has other columns` });
  }
});

test("PG-1 a schema whose list of migrations has a gap, is empty or runs behind its tables is there in part", () => {
  const current = after(schemaVersion);
  expect(judgeSchema({ ...current, applied: [] })).toMatchObject({ kind: "partial" });
  expect(judgeSchema({ ...current, applied: current.applied.slice(1) })).toMatchObject({ kind: "partial" });
  expect(judgeSchema({ ...current, applied: current.applied.slice(0, 1) })).toEqual({
    kind: "partial",
    what: "the table contents is there before its migration",
  });
});

test("PG-1 a schema with tables of the same names that are not the store's belongs to another application", () => {
  const foreign = { exists: true, applied: [] };
  expect(judgeSchema({ ...foreign, tables: { runs: ["id", "name"] } })).toEqual({ kind: "foreign", table: "runs" });
  expect(judgeSchema({ ...foreign, tables: { pulse_migrations: ["id"] } })).toEqual({
    kind: "foreign",
    table: "pulse_migrations",
  });
  // Tables of other names are nobody's business.
  expect(judgeSchema({ ...foreign, tables: { users: ["id"] } })).toEqual({ kind: "older", version: 0 });
});
