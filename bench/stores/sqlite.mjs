// SQLite as a medium: the store on a file, and raw transactions of one row on another file beside it.
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sqliteStore } from "@pulse-ts/sqlite-store";

export async function openSqlite() {
  const folder = await mkdtemp(join(tmpdir(), "pulse-bench-"));
  const file = join(folder, "runs.db");
  const raw = new Database(join(folder, "raw.db"));
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = FULL");
  raw.exec("CREATE TABLE raw (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT");
  const insert = raw.prepare("INSERT INTO raw (bytes) VALUES (?)");
  return {
    name: "SQLite",
    about: `SQLite ${raw.prepare("SELECT sqlite_version()").pluck().get()}, WAL, synchronous FULL`,
    raw: "a raw transaction of one row",
    openStore: async () => sqliteStore({ file }),
    /** The same file, and nothing is synced: to fill it. */
    openFiller: async () => sqliteStore({ file, synchronous: "normal" }),
    /** Milliseconds of one transaction that inserts a row of so many bytes, over `count` of them. */
    async rawMs(count, bytes) {
      const row = Buffer.alloc(bytes, "x");
      const begin = performance.now();
      for (let at = 0; at < count; at++) insert.run(row);
      return (performance.now() - begin) / count;
    },
    /** Bytes that `work` writes to the log. While somebody reads an old state SQLite never begins its log anew. */
    async logBytes(work) {
      const reader = new Database(file);
      reader.pragma("wal_checkpoint(TRUNCATE)");
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM sqlite_schema").get();
      await work();
      const { size } = await stat(`${file}-wal`);
      reader.exec("COMMIT");
      reader.close();
      return size;
    },
    async close() {
      raw.close();
      await rm(folder, { recursive: true });
    },
  };
}
