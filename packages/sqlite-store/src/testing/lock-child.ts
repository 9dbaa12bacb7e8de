import Driver from "better-sqlite3";

/**
 * Another program on the same file: it takes the write lock, writes without ending its transaction, says so, and waits to
 * be killed or told to let go.
 */
const raw = new Driver(process.argv[2] ?? "");
raw.exec("BEGIN IMMEDIATE");
raw.exec("UPDATE run SET revision = revision + 100");
process.send?.("holding");
process.on("message", () => {
  raw.exec("ROLLBACK");
  process.send?.("let go");
});
