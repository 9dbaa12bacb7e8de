import { isPulseError } from "@pulse-ts/core";
import { needsPostgres } from "@pulse-ts/test-postgres";
import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { database } from "./database.ts";
import { pgStore } from "./index.ts";
import { migrateSchema } from "./migrate.ts";
import { schemaNamed } from "./schema.ts";
import { migrations, schemaVersion } from "./schema-state.ts";
import { openBench } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";
import { pgFaultPoints } from "./testing.ts";

beforeEach(needsPostgres);

/** All that a schema holds, as text: any change shows. */
async function contentOf({ ask }: PgBench, schema: string): Promise<string> {
  const rows = await ask(
    `SELECT c.relname, c.relkind, c.relfilenode::text, pg_get_indexdef(c.oid) AS index, obj_description(c.oid) AS comment
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 ORDER BY 1`,
    [schema],
  );
  return JSON.stringify(rows);
}

const migrateTo = async (url: string, schema: string, to: number): Promise<void> => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const doing = { what: "migrating", runId: "", medium: "here" };
  try {
    const steps = database({ pool, statementMs: 30_000, at: undefined });
    await migrateSchema(steps, schemaNamed(schema), { doing, limitMs: 30_000, to });
  } finally {
    await pool.end();
  }
};

describe("migrate", () => {
  test("PG-1 a second call changes nothing", async () => {
    await using bench = await openBench();
    const before = await contentOf(bench, bench.schema);
    expect(await bench.openDirect().migrate()).toEqual({ from: schemaVersion, to: schemaVersion });
    expect(await contentOf(bench, bench.schema)).toBe(before);
  });

  test("PG-1 many that start at once all succeed, and one of them does it", async () => {
    await using bench = await openBench();
    const stores = Array.from({ length: 8 }, () => bench.openDirect({ schema: "at once", connectionsMax: 1 }));
    const done = await Promise.all(stores.map(async (store) => await store.migrate()));
    expect(done.map(({ from }) => from).toSorted((a, b) => a - b)).toEqual([
      0,
      ...Array.from({ length: 7 }, () => schemaVersion),
    ]);
    const session = await stores[0]?.acquire("run");
    await session?.close();
  });

  test.each(migrations.slice(0, -1))("STORE-9 a schema after $name is brought up to date", async ({ number }) => {
    await using bench = await openBench();
    const schema = `older ${number}`;
    await migrateTo(bench.url, schema, number);
    const store = bench.openDirect({ schema });
    const run = sampleRun("run");
    await expect(store.acquire(run.runId)).rejects.toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringMatching(
        new RegExp(`has version ${number}, and ${schemaVersion} is needed; call migrate()`),
      ),
    });
    expect(await store.migrate()).toEqual({ from: number, to: schemaVersion });
    const session = await store.acquire(run.runId);
    await saveSteps(session, run, 0, 2);
    expect(await session.load()).toEqual(run.at(2));
  });

  test.each(pgFaultPoints.filter((point) => point.startsWith("migrate") || point.startsWith("schema-look")))(
    "PG-1 cut off at '%s' it leaves the schema as it was or whole, and goes on the next time",
    async (point) => {
      await using bench = await openBench();
      const schema = `cut ${point}`;
      let times = 0;
      const cut = bench.open({ schema }, (moment, step) => {
        if (`${step} ${moment}` !== point || (times += 1) > 1) return;
        bench.link.cutAll();
        throw Object.assign(new Error("cut"), { code: "ECONNRESET" });
      });
      await expect(cut.migrate()).rejects.toMatchObject({ code: "PULSE_STORE" });
      const { from } = await bench.openDirect({ schema }).migrate();
      expect(from).toBe(point === "migrate-commit after" ? schemaVersion : 0);
    },
  );

  test("PG-1 every table, index and constraint says in the database what it is for", async () => {
    await using bench = await openBench();
    const silent = await bench.ask(
      `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_constraint k ON k.conindid = c.oid
       WHERE n.nspname = $1 AND c.relkind IN ('r', 'i')
         AND obj_description(c.oid) IS NULL AND (k.oid IS NULL OR obj_description(k.oid) IS NULL)`,
      [bench.schema],
    );
    expect(silent).toEqual([]);
  });
});

describe("a schema that is not as it should be", () => {
  const refused = async (bench: PgBench, schema: string, found: RegExp, code = "PULSE_STORE"): Promise<void> => {
    const store = bench.openDirect({ schema });
    const expected = { code, message: expect.stringMatching(found), details: { runId: "run" } };
    await expect(store.acquire("run")).rejects.toMatchObject(expected);
    await expect(store.catalog.read("run")).rejects.toMatchObject(expected);
    await expect(store.catalog.list()).rejects.toMatchObject({ code, message: expect.stringMatching(found) });
    await expect(store.collect()).rejects.toMatchObject({ code, message: expect.stringMatching(found) });
  };

  test("PG-1 a schema that is missing says to call migrate()", async () => {
    await using bench = await openBench();
    await refused(bench, "nothing here", /the schema "nothing here" is not set up; call migrate\(\)/);
    expect(await bench.ask("SELECT FROM pg_namespace WHERE nspname = 'nothing here'")).toEqual([]);
  });

  test("STORE-9 a newer schema is PULSE_NEWER_FORMAT, and migrate() leaves it as it is", async () => {
    await using bench = await openBench();
    const { schema } = bench;
    await bench.ask(`INSERT INTO "${schema}".pulse_migrations (number, name) VALUES (99, 'of tomorrow')`);
    const before = await contentOf(bench, schema);
    await refused(bench, schema, /has version 99.*update @pulse-ts\/pgstore/, "PULSE_NEWER_FORMAT");
    await expect(bench.openDirect().migrate()).rejects.toMatchObject({
      code: "PULSE_NEWER_FORMAT",
      details: { found: 99, supported: schemaVersion, next: "newer-package" },
    });
    expect(await contentOf(bench, schema)).toBe(before);
  });

  test("PG-1 a half migrated schema is refused, by migrate() too, and nothing of it changes", async () => {
    await using bench = await openBench();
    const { schema } = bench;
    await bench.ask(`DROP TABLE "${schema}".content_uses`);
    const before = await contentOf(bench, schema);
    const found = /is there in part: the table content_uses is missing; restore the schema from a backup/;
    await refused(bench, schema, found);
    await expect(bench.openDirect().migrate()).rejects.toMatchObject({ message: expect.stringMatching(found) });
    expect(await contentOf(bench, schema)).toBe(before);
  });

  test("PG-1 tables of another application with the same names are left alone", async () => {
    await using bench = await openBench();
    await bench.ask(`CREATE SCHEMA other`);
    await bench.ask(`CREATE TABLE other.runs (id integer, name text)`);
    const before = await contentOf(bench, "other");
    const found = /belongs to another application: its table "runs" is not Pulse's; give the option schema a name/;
    await refused(bench, "other", found);
    await expect(bench.openDirect({ schema: "other" }).migrate()).rejects.toMatchObject({
      message: expect.stringMatching(found),
    });
    expect(await contentOf(bench, "other")).toBe(before);
  });

  test("PG-1 a table that goes missing later is told as such", async () => {
    await using bench = await openBench();
    const store = bench.openDirect();
    await (await store.acquire("run")).close();
    await bench.ask(`DROP SCHEMA "${bench.schema}" CASCADE`);
    await expect(store.acquire("run")).rejects.toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringContaining("call migrate()"),
      details: { systemCode: "42P01" },
    });
  });
});

describe("names of schemas", () => {
  test.each([`da-sh`, `Upper Case`, `qu"ote`, `'`, `";DROP TABLE x;--`, `日本`, `$1`, `a.b`, `select`, `x`.repeat(63)])(
    "PG-1 the schema %j keeps runs",
    async (schema) => {
      await using bench = await openBench();
      const store = bench.openDirect({ schema });
      await store.migrate();
      const run = sampleRun("run");
      const session = await store.acquire(run.runId);
      await saveSteps(session, run, 0, 2);
      expect(await session.load()).toEqual(run.at(2));
      expect((await store.catalog.list()).runs).toHaveLength(1);
      await session.close();
      await store.catalog.delete(run.runId);
      expect(await bench.ask("SELECT nspname AS name FROM pg_namespace WHERE nspname = $1", [schema])).toEqual([
        { name: schema },
      ]);
    },
  );

  test.each(["", "a\0b", "pg_mine", "information_schema", "x".repeat(64), "é".repeat(32), "\ud800"])(
    "PG-1 the schema %j is refused before anything is sent",
    (schema) => {
      const open = (): unknown => pgStore({ connectionString: "postgres://127.0.0.1:1/none", schema });
      expect(open).toThrow(expect.objectContaining({ code: "PULSE_INVALID" }));
      try {
        open();
      } catch (error) {
        expect(isPulseError(error, "PULSE_INVALID") && error.message).toContain("give the name of a schema");
      }
    },
  );
});
