import type { RecordChange, RunRecord } from "@pulse-ts/durable";
import { contentsNamedBy } from "@pulse-ts/durable/define-store";
import type { Content, Save, SaveResult } from "@pulse-ts/durable/define-store";
import { putContent } from "./content.ts";
import { atStep } from "./fault-points.ts";
import type { Parts } from "./parts.ts";
import { cellsOf, findRun, firstPlace, lastPlace } from "./rows.ts";
import type { EntryCells, EntryRow, RunRow } from "./rows.ts";
import { sortKey } from "./run-order.ts";
import type { Sqlite } from "./sqlite.ts";
import { entrySum, runSum } from "./sums.ts";

/** What an owner knows of the rows of its run: nobody else changes them as long as its epoch is there. */
export interface Known {
  /** The run's number. */
  readonly run: number;
  /** Entry key -> place within the run. */
  readonly places: Map<string, number>;
  nextPlace: number;
  summary: Summary;
}

/** What of the header stands in the run's row, for the catalogue. */
type Summary = Pick<RunRecord["header"], "status" | "version" | "resumes">;

/** What an owner knows when it has read its run. */
export function knownOf(
  { number, status, version, resumes }: RunRow,
  rows: readonly Pick<EntryRow, "place" | "key">[],
): Known {
  return {
    run: number,
    places: new Map(rows.map(({ key, place }) => [key, place])),
    nextPlace: rows.reduce((highest, { place }) => Math.max(highest, place), 0) + 1,
    summary: { status, version, resumes },
  };
}

/** A save that is ready to be written. */
export interface PreparedSave {
  readonly runId: string;
  readonly expectedRevision: number;
  readonly revision: number;
  readonly changes: readonly PreparedChange[];
  readonly contents: readonly Content[];
  /** Given when the save puts the header. */
  readonly summary: Summary | undefined;
}

interface PreparedChange {
  readonly key: string;
  /** Absent for a deletion. */
  readonly cells?: EntryCells;
  readonly names: readonly string[];
}

/** Encodes a save, outside of the transaction. @throws PULSE_USAGE for an entry that cannot be written */
export function prepareSave({ runId, expectedRevision, revision, changes, contents, next }: Save): PreparedSave {
  const header = changes.some(({ key, kind }) => key === "header" && kind === "put");
  const { status, version, resumes } = next.header;
  return {
    runId,
    expectedRevision,
    revision,
    contents,
    changes: changes.map(prepareChange),
    summary: header ? { status, version, resumes } : undefined,
  };
}

function prepareChange(change: RecordChange): PreparedChange {
  if (change.kind === "delete") return { key: change.key, names: [] };
  return { key: change.key, cells: cellsOf(change), names: namesIn(change) };
}

const none: readonly string[] = [];

/** The contents that an entry names. Of attempts, of which a run has most, none can. */
const namesIn = ({ key, entry }: Extract<RecordChange, { kind: "put" }>): readonly string[] =>
  isAttempt(key) ? none : [...new Set(contentsNamedBy(entry))];

const isAttempt = (key: string): boolean => key.startsWith("attempt/");

export type Written = { readonly result: SaveResult; readonly known: Known | undefined };

/**
 * Writes a save in the transaction it is called in. The statement that raises the revision also looks at the epoch and at
 * the revision before (STORE-3, STORE-6); when it finds another one, nothing has been changed.
 */
export function writeSave(
  parts: Parts,
  sqlite: Sqlite,
  epoch: number,
  save: PreparedSave,
  before: Known | undefined,
): Written {
  const { runId, expectedRevision } = save;
  const known = before ?? (expectedRevision === 0 ? undefined : readKnown(sqlite, runId));
  const { places } = known ?? { places: new Map<string, number>() };
  const entries = countAfter(places, save.changes);
  const run = raiseRevision(parts, sqlite, epoch, save, known, entries);
  if (run === undefined) return { result: whyNot(sqlite, epoch, runId), known };
  const owned: Known = known ?? { run, places: new Map(), nextPlace: 1, summary: save.summary ?? noSummary };
  if (save.summary !== undefined) owned.summary = save.summary;
  for (const content of save.contents) putContent(parts, sqlite, runId, content);
  for (const change of save.changes) writeChange(parts, sqlite, owned, change);
  return { result: "saved", known: owned };
}

const noSummary: Summary = { status: "running", version: "", resumes: 0 };

function countAfter(places: ReadonlyMap<string, number>, changes: readonly PreparedChange[]): number {
  let count = places.size;
  for (const { key, cells } of changes) {
    if (cells === undefined) count -= places.has(key) ? 1 : 0;
    else count += places.has(key) ? 0 : 1;
  }
  return count;
}

function readKnown(sqlite: Sqlite, runId: string): Known | undefined {
  const row = findRun(sqlite, runId);
  if (row === undefined) return undefined;
  const places = sqlite.all(
    `SELECT place & 4294967295 AS place, key FROM entry WHERE place BETWEEN ${firstPlace} AND ${lastPlace}`,
    row.number,
    row.number,
  ) as readonly Pick<EntryRow, "place" | "key">[];
  return knownOf(row, places);
}

/** The run's number; `undefined` when another revision or no such epoch was found. */
function raiseRevision(
  { at }: Parts,
  sqlite: Sqlite,
  epoch: number,
  save: PreparedSave,
  known: Known | undefined,
  entries: number,
): number | undefined {
  const { runId: id, revision, expectedRevision } = save;
  const { status, version, resumes } = save.summary ?? known?.summary ?? noSummary;
  const sum = runSum({ id, revision, status, version, resumes, entries });
  if (known === undefined) {
    if (expectedRevision !== 0) return undefined;
    return atStep(
      at,
      "run-insert",
      () =>
        sqlite.get(
          `INSERT INTO run (id, sort, revision, status, version, resumes, entries, sum)
         SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM owner WHERE epoch = ?)
         ON CONFLICT DO NOTHING RETURNING number`,
          id,
          sortKey(id),
          revision,
          status,
          version,
          resumes,
          entries,
          sum,
          epoch,
        ) as { readonly number: number } | undefined,
    )?.number;
  }
  const { run } = known;
  const guard = "WHERE number = ? AND revision = ? AND EXISTS (SELECT 1 FROM owner WHERE epoch = ?)";
  const changed = atStep(at, "run-update", () =>
    save.summary === undefined
      ? // Touches no index: the status stays.
        sqlite.run(
          `UPDATE run SET revision = ?, entries = ?, sum = ? ${guard}`,
          revision,
          entries,
          sum,
          run,
          expectedRevision,
          epoch,
        )
      : sqlite.run(
          `UPDATE run SET revision = ?, entries = ?, sum = ?, status = ?, version = ?, resumes = ? ${guard}`,
          revision,
          entries,
          sum,
          status,
          version,
          resumes,
          run,
          expectedRevision,
          epoch,
        ),
  );
  return changed === 1 ? run : undefined;
}

function whyNot(sqlite: Sqlite, epoch: number, runId: string): SaveResult {
  if (sqlite.get("SELECT 1 FROM owner WHERE epoch = ?", epoch) === undefined) return "fenced";
  return { conflict: findRun(sqlite, runId)?.revision ?? 0 };
}

function writeChange(parts: Parts, sqlite: Sqlite, known: Known, { key, cells, names }: PreparedChange): void {
  const { at } = parts;
  const { run, places } = known;
  const old = places.get(key);
  if (cells === undefined) {
    if (old === undefined) return;
    atStep(at, "entry-delete", () => sqlite.run("DELETE FROM entry WHERE place = (? << 32 | ?)", run, old));
    places.delete(key);
    return;
  }
  const place = old ?? known.nextPlace;
  const { text, cuts, bytes } = cells;
  const sum = entrySum(run, place, cells);
  atStep(at, "entry-put", () =>
    old === undefined
      ? sqlite.run(
          "INSERT INTO entry (place, key, text, cuts, bytes, sum) VALUES ((? << 32 | ?), ?, ?, ?, ?, ?)",
          run,
          place,
          key,
          text,
          cuts,
          bytes,
          sum,
        )
      : sqlite.run(
          "UPDATE entry SET text = ?, cuts = ?, bytes = ?, sum = ? WHERE place = (? << 32 | ?)",
          text,
          cuts,
          bytes,
          sum,
          run,
          place,
        ),
  );
  if (old === undefined) {
    places.set(key, place);
    known.nextPlace += 1;
  } else if (!isAttempt(key)) sqlite.run("DELETE FROM naming WHERE place = (? << 32 | ?)", run, place);
  for (const digest of names) nameContent(parts, sqlite, { run, place }, digest);
}

/** Writes down that an entry names a content, so that no collection takes it; it counts as used from now on. */
function nameContent(
  { at, now }: Parts,
  sqlite: Sqlite,
  { run, place }: { readonly run: number; readonly place: number },
  digest: string,
): void {
  atStep(at, "naming-put", () => {
    sqlite.run("UPDATE content SET used = ?, leaving = NULL WHERE digest = ?", now(), digest);
    sqlite.run(
      "INSERT OR IGNORE INTO naming (place, content) SELECT (? << 32 | ?), number FROM content WHERE digest = ?",
      run,
      place,
      digest,
    );
  });
}
