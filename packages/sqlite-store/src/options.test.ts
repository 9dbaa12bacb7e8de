import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { sqliteStore } from "./open.ts";
import type { SqliteStoreOptions } from "./options.ts";

const refused: readonly (readonly [options: unknown, path: string])[] = [
  [{}, "file"],
  [{ file: "" }, "file"],
  [{ file: ":memory:" }, "file"],
  [{ file: "file:runs.db" }, "file"],
  [{ file: " runs.db" }, "file"],
  [{ file: "a\0b" }, "file"],
  [{ file: 7 }, "file"],
  [{ file: "runs.db", synchronous: "off" }, "synchronous"],
  [{ file: "runs.db", busyMs: -1 }, "busyMs"],
  [{ file: "runs.db", staleMs: 1_999 }, "staleMs"],
  [{ file: "runs.db", contentBytesMin: 0.5 }, "contentBytesMin"],
  [{ file: "runs.db", folder: "runs" }, "folder"],
  [undefined, "options"],
];

test.each(refused)("SQL-1 options that cannot be are refused before anything is touched: %j", (options, path) => {
  let error: unknown;
  try {
    // What a JavaScript user may give.
    sqliteStore(options as SqliteStoreOptions);
  } catch (thrown) {
    error = thrown;
  }
  if (!isPulseError(error, "PULSE_INVALID")) throw error;
  expect(error.details.problems.map((problem) => problem.path)).toContain(path);
  expect(error.message).toContain("opening a SQLite store");
});
