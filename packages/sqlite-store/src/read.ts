import type { RunRecord } from "@pulse-ts/durable";
import { whenFree } from "./busy.ts";
import type { Open } from "./connection.ts";
import type { Parts } from "./parts.ts";
import { entryRows, findRun, recordOf } from "./rows.ts";
import type { EntryRow, RunRow } from "./rows.ts";

/** A run as it was read, in one state of the file. */
export interface Reading {
  readonly run: RunRow;
  readonly rows: readonly EntryRow[];
  readonly record: RunRecord;
}

/** The record as it was last saved, and its rows; `undefined` when nothing was. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
export async function readRun({ file, busyMs }: Parts, { sqlite }: Open, runId: string): Promise<Reading | undefined> {
  const found = await whenFree(busyMs, () =>
    sqlite.snapshot(() => {
      const run = findRun(sqlite, runId);
      return run === undefined ? undefined : { run, rows: entryRows(sqlite, run.number) };
    }),
  );
  return found === undefined ? undefined : { ...found, record: recordOf({ runId, file }, found.run, found.rows) };
}
