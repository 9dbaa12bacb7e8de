import { packEntry, recordBuilder, unpackEntry } from "@pulse-ts/durable";
import type { RecordChange, RunRecord } from "@pulse-ts/durable";
import { corrupt } from "@pulse-ts/durable/define-store";
import { sortKey } from "./run-order.ts";
import type { Sqlite } from "./sqlite.ts";
import { entrySum, runSum } from "./sums.ts";

/** A run's own row. */
export interface RunRow {
  readonly number: number;
  readonly revision: number;
  readonly status: RunRecord["header"]["status"];
  readonly version: string;
  readonly resumes: number;
  readonly entries: number;
  readonly sum: number;
}

/** An entry's row. `place` is the lower half alone: the number within the run. */
export interface EntryRow {
  readonly place: number;
  readonly key: string;
  readonly text: string;
  readonly cuts: string | null;
  readonly bytes: Uint8Array | null;
  readonly sum: number;
}

/** What an entry's row is made of, without its place and sum. */
export type EntryCells = Omit<EntryRow, "place" | "sum">;

/** An entry as it stands in its row. @throws PULSE_USAGE for one that cannot be written (REC-15, REC-27) */
export function cellsOf({ key, entry }: Extract<RecordChange, { kind: "put" }>): EntryCells {
  const { text, bytes } = packEntry(key, entry);
  const [only] = bytes;
  if (only === undefined) return { key, text, cuts: null, bytes: null };
  if (bytes.length === 1) return { key, text, cuts: null, bytes: only };
  return { key, text, cuts: JSON.stringify(bytes.map(({ length }) => length)), bytes: Buffer.concat(bytes) };
}

/** The pieces that {@link cellsOf} put together; `undefined` when the cuts do not fit. */
function piecesOf({ cuts, bytes }: EntryCells): readonly Uint8Array[] | undefined {
  if (bytes === null) return cuts === null ? [] : undefined;
  if (cuts === null) return [ownBytes(bytes)];
  const lengths: unknown = JSON.parse(cuts);
  if (!Array.isArray(lengths) || !lengths.every((length) => Number.isSafeInteger(length) && length >= 0))
    return undefined;
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths as readonly number[]) {
    pieces.push(new Uint8Array(bytes.subarray(at, at + length)));
    at += length;
  }
  return at === bytes.length ? pieces : undefined;
}

/** As a plain `Uint8Array`, as records have them. */
const ownBytes = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array => new Uint8Array(buffer, byteOffset, length);

const runCells = "number, revision, status, version, resumes, entries, sum";

/** The row of a run, as it is found. */
export function findRun(sqlite: Sqlite, runId: string): RunRow | undefined {
  return sqlite.get(`SELECT ${runCells} FROM run WHERE sort = ?`, sortKey(runId)) as RunRow | undefined;
}

/** The places of a run's entries lie from the first to the second. */
export const firstPlace = "(? << 32)";
export const lastPlace = "(? << 32 | 4294967295)";

/** All rows of a run's entries, in the order of their places. */
export function entryRows(sqlite: Sqlite, run: number): readonly EntryRow[] {
  return sqlite.all(
    `SELECT place & 4294967295 AS place, key, text, cuts, bytes, sum FROM entry WHERE place BETWEEN ${firstPlace} AND ${lastPlace}`,
    run,
    run,
  ) as readonly EntryRow[];
}

/** Where rows were found, for errors. */
export interface RowPlace {
  readonly runId: string;
  readonly file: string;
}

/** @throws PULSE_CORRUPT when the row is not what was written */
export function checkRunRow({ runId, file }: RowPlace, row: RunRow): void {
  if (runSum({ ...row, id: runId }) === row.sum) return;
  throw corrupt(runId, `${file}, table run, row ${row.number}`, "its checksum does not fit");
}

/** Where an entry stands, in words. */
const placeOf = (file: string, run: number, { place, key }: EntryRow): string =>
  `${file}, table entry, row ${(BigInt(run) << 32n) | BigInt(place)} (${String(key)})`;

/** @throws PULSE_CORRUPT when the row is not what was written */
export function checkEntryRow({ runId, file }: RowPlace, run: number, row: EntryRow): void {
  if (entrySum(run, row.place, row) === row.sum) return;
  throw corrupt(runId, placeOf(file, run, row), "its checksum does not fit");
}

/** A record out of its rows. @throws PULSE_CORRUPT naming table and row; PULSE_NEWER_FORMAT */
export function recordOf(where: RowPlace, run: RunRow, rows: readonly EntryRow[]): RunRecord {
  const { runId, file } = where;
  checkRunRow(where, run);
  const builder = recordBuilder(runId);
  const keys = new Set<string>();
  for (const row of rows) {
    checkEntryRow(where, run.number, row);
    const place = placeOf(file, run.number, row);
    if (keys.has(row.key)) throw corrupt(runId, place, "the run has this entry twice");
    keys.add(row.key);
    const bytes = piecesOf(row);
    if (bytes === undefined) throw corrupt(runId, place, "its bytes are not as long as it says");
    const entry = unpackEntry(row.key, { text: row.text, bytes }, { runId, where: place });
    builder.apply({ kind: "put", key: row.key, entry });
  }
  if (rows.length !== run.entries) {
    const missing = `${rows.length} of its ${run.entries} entries are there`;
    throw corrupt(runId, `${file}, table entry, run number ${run.number}`, missing);
  }
  const record = builder.view(run.revision);
  if (record.header.runId !== runId) {
    throw corrupt(
      runId,
      `${file}, table run, row ${run.number}`,
      `its entries are those of run "${record.header.runId}"`,
    );
  }
  return record;
}
