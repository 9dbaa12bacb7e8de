import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Driver from "better-sqlite3";
import { expect, test } from "vitest";
import { sqliteStore } from "./open.ts";
import { migrations } from "./schema.ts";
import type { Migration } from "./schema.ts";
import { expectRecord, saveRun } from "./testing/expect-record.ts";
import { everythingIn, openPlace, rejectionOf, sqliteError } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";

test("SQL-1 the file has a write-ahead log, strict tables, an application id and a schema version", async () => {
  await using place = await openPlace();
  await saveRun(place.open(), sample("order"), 1);
  const raw = place.raw();
  expect(raw.pragma("journal_mode", { simple: true })).toBe("wal");
  expect(raw.pragma("application_id", { simple: true })).toBe(0x50_75_6c_73);
  expect(raw.pragma("user_version", { simple: true })).toBe(migrations.length);
  const tables = raw.pragma("table_list") as readonly { name: string; strict: number }[];
  expect(tables.filter(({ name }) => !name.startsWith("sqlite_")).map(({ name, strict }) => [name, strict])).toEqual(
    expect.arrayContaining(["content", "content_bytes", "entry", "naming", "owner", "run"].map((name) => [name, 1])),
  );
  expect(() => raw.exec("INSERT INTO run (id, sort) VALUES ('a', 'b')")).toThrow(/cannot store TEXT|NOT NULL/);
});

test("SQL-1 nothing is made before the first run is acquired: a catalogue reads a store that is not there as an empty one", async () => {
  await using place = await openPlace();
  const { catalog, ...store } = place.open();
  expect(await catalog.list()).toEqual({ runs: [] });
  expect(await catalog.count()).toBe(0);
  await rejectionOf("PULSE_NOT_FOUND", catalog.read("order"));
  await catalog.delete("order");
  expect(await store.collect()).toMatchObject({ kept: 0, removed: 0 });
  expect(await store.checkIntegrity()).toEqual({ problems: [], runs: 0, entries: 0, contents: 0 });
  expect(await everythingIn(place.folder)).toEqual({});
});

test.each([
  ["a table", "CREATE TABLE customer (name TEXT)"],
  ["an application id", "PRAGMA application_id = 7; CREATE TABLE run (number INTEGER)"],
  ["a version of its own", "PRAGMA user_version = 1"],
])("STORE-9 a database of another application (%s) is refused, and nothing of it changes", async (_what, sql) => {
  await using place = await openPlace();
  place.raw().exec(sql);
  const before = await everythingIn(place.folder);
  const store = place.open();
  for (const call of [() => store.acquire("order"), () => store.catalog.count(), () => store.checkIntegrity()]) {
    const error = await rejectionOf("PULSE_STORE", call());
    expect(error.message).toContain("the database of another application");
    expect(error.message).toContain("give the store a file of its own");
    expect(error.details).toMatchObject({ medium: place.file, next: "mend-store" });
  }
  expect(await everythingIn(place.folder)).toEqual(before);
});

test("STORE-9 a newer schema is refused with both versions, and nothing of it changes", async () => {
  await using place = await openPlace();
  const newer = place.open({ migrations: [...migrations, { name: "later", sql: "CREATE TABLE later (x INTEGER)" }] });
  await saveRun(newer, sample("order"), 1);
  await newer.close();
  const before = await everythingIn(place.folder);
  const store = place.open();
  for (const call of [() => store.acquire("order"), () => store.catalog.read("order")]) {
    const error = await rejectionOf("PULSE_NEWER_FORMAT", call());
    expect(error.details).toMatchObject({ found: migrations.length + 1, supported: migrations.length });
    expect(error.message).toContain("use a newer one");
  }
  expect(await everythingIn(place.folder)).toEqual(before);
});

/** A schema of the next version: what an older file lacks. */
const later: readonly Migration[] = [
  ...migrations,
  { name: "notes", sql: "ALTER TABLE run ADD COLUMN note TEXT; CREATE TABLE note (run INTEGER)" },
  { name: "more notes", sql: "CREATE INDEX note_by_run ON note (run)" },
];

const schemaOf = (file: string): unknown => {
  const raw = new Driver(file, { readonly: true });
  try {
    const objects = raw.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'note%' ORDER BY name").pluck().all();
    return [raw.pragma("user_version", { simple: true }), objects];
  } finally {
    raw.close();
  }
};

test("STORE-9 an older schema is migrated in one transaction: wherever it ends, the file is the old or the new one, and is finished by the next", async () => {
  for (const [index, point] of migratePoints.entries()) {
    for (const fresh of [true, false]) {
      await using place = await openPlace();
      const run = sample("order");
      if (!fresh) {
        const old = place.open();
        await saveRun(old, run, 2);
        await old.close();
      }
      const dying = place.open({
        migrations: later,
        at: (reached) => {
          if (reached === point) throw sqliteError("SQLITE_IOERR");
        },
      });
      const error = await rejectionOf("PULSE_STORE", dying.acquire("order"));
      expect(error.details.systemCode).toBe("SQLITE_IOERR");
      const done = index === migratePoints.length - 1;
      const kept = fresh ? [0, []] : [migrations.length, []];
      expect(schemaOf(place.file)).toEqual(done ? [later.length, ["note", "note_by_run"]] : kept);
      // Its own store goes on where it failed, too.
      const store = place.open({ migrations: later });
      const session = await store.acquire("order");
      await saveUpTo(session, run, fresh ? 0 : 2, 3);
      await expectRecord(store, run, 3);
      expect(schemaOf(place.file)).toEqual([later.length, ["note", "note_by_run"]]);
    }
  }
});

const migratePoints = ["migrate-begin", "migrate-schema", "migrate-version", "migrate-commit"].flatMap((step) => [
  `${step} before`,
  `${step} after`,
]);

test("STORE-9 SQL-1 many that open a new file at once make one store of it", async () => {
  await using place = await openPlace();
  await Promise.all(Array.from({ length: 12 }, async (_, at) => await saveRun(place.open(), sample(`run ${at}`), 2)));
  expect(await place.open().catalog.count()).toBe(12);
  expect((await place.open().checkIntegrity()).problems).toEqual([]);
});

test("STORE-9 an empty file and one that was left with its log alone become a store", async () => {
  for (const prepare of [
    async (file: string) => await writeFile(file, ""),
    async (file: string) => {
      const raw = new Driver(file);
      raw.pragma("journal_mode = WAL");
      raw.close();
    },
  ]) {
    await using place = await openPlace();
    await prepare(place.file);
    const store = place.open();
    await saveRun(store, sample("order"), 1);
    expect(await store.catalog.count()).toBe(1);
  }
});

test("SQL-1 a folder that is missing, a folder in the file's place and a file in the folder's place are told by name", async () => {
  await using place = await openPlace();
  const cases = [
    { file: join(place.folder, "no", "runs.db"), says: `there is no folder ${join(place.folder, "no")}; make it` },
    { file: place.folder, says: "cannot be opened or made" },
    { file: join(place.folder, "text", "runs.db"), says: `there is no folder ${join(place.folder, "text")}` },
  ];
  await writeFile(join(place.folder, "text"), "text");
  for (const { file, says } of cases) {
    const error = await rejectionOf("PULSE_STORE", sqliteStore({ file }).acquire("order"));
    expect(error.message).toContain(says);
    expect(error.message).toContain('acquiring run "order"');
    expect(error.details).toMatchObject({ runId: "order", next: "mend-store", medium: file });
  }
});

test("SQL-1 a file that is no database is refused and left as it is", async () => {
  await using place = await openPlace();
  await writeFile(place.file, `${"This is a text and no database. ".repeat(200)}\n`);
  const before = await everythingIn(place.folder);
  const store = place.open();
  for (const call of [() => store.acquire("order"), () => store.catalog.list(), () => store.checkIntegrity()]) {
    const error = await rejectionOf("PULSE_STORE", call());
    expect(error.details.systemCode).toBe("SQLITE_NOTADB");
    expect(error.message).toContain("choose another file, or restore it from a backup");
  }
  expect(await everythingIn(place.folder)).toEqual(before);
});

test("STORE-4 a file that is removed or replaced while it is open is told: nothing that went into the lost one counts as saved", async () => {
  await using place = await openPlace();
  const run = sample("order");
  const store = place.open();
  const session = await store.acquire("order");
  await saveUpTo(session, run, 0, 1);
  await writeFile(`${place.file}.new`, await readFile(place.file));
  await rename(`${place.file}.new`, place.file);
  const error = await rejectionOf("PULSE_STORE", session.save(run.at(2), 1, run.changesTo(2)));
  expect(error.message).toContain("was removed or replaced while it was open");
});
