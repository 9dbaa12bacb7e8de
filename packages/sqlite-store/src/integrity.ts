import { hash } from "node:crypto";
import { isPulseError } from "@pulse-ts/core";
import { checkOptions, contentsNamed, optional } from "@pulse-ts/durable/define-store";
import { whenFree } from "./busy.ts";
import { everyRun } from "./every-run.ts";
import type { NamedRun } from "./every-run.ts";
import type { Medium } from "./owner.ts";
import { checkEntryRow, checkRunRow, entryRows, findRun, firstPlace, lastPlace, recordOf } from "./rows.ts";
import { slices } from "./slices.ts";
import type { Sqlite } from "./sqlite.ts";

/** What is wrong at one place of a database. */
export interface IntegrityProblem {
  /** The run it belongs to; absent for what belongs to none or to several. */
  readonly runId?: string;
  /** Where, as table and row, and what was found there. */
  readonly found: string;
}

/** What a look at every page and every row found (SQL-3). */
export interface IntegrityReport {
  /** None: everything is as it was written. At most {@link integrityProblemsMax}. */
  readonly problems: readonly IntegrityProblem[];
  readonly runs: number;
  readonly entries: number;
  readonly contents: number;
}

/** A look at a database ends after so many problems. */
export const integrityProblemsMax = 100;

/** What a look at a database may be told. */
export interface IntegrityOptions {
  /** Ends the look between two runs. */
  readonly signal?: AbortSignal;
}

/** Looks at a store's own file. One that is not there has no problem. */
export async function checkIntegrity(
  { parts, connection }: Pick<Medium, "parts" | "connection">,
  options: IntegrityOptions = {},
): Promise<IntegrityReport> {
  checkOptions<IntegrityOptions>("checking the store", options, {
    signal: optional((value) => value instanceof AbortSignal, "an AbortSignal"),
  });
  const open = await connection.toRead();
  if (open === undefined) return { problems: [], runs: 0, entries: 0, contents: 0 };
  const { file, busyMs } = parts;
  return await inspectDatabase({ sqlite: open.sqlite, file, busyMs, signal: options.signal });
}

/** Where to look, and how. */
export interface Looked {
  readonly sqlite: Sqlite;
  readonly file: string;
  readonly busyMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Looks at the file's pages, then at each row; changes nothing. */
export async function inspectDatabase(looked: Looked): Promise<IntegrityReport> {
  const { sqlite, file, busyMs, signal } = looked;
  const problems: IntegrityProblem[] = [];
  const found = { runs: 0, entries: 0, contents: 0 };
  const add = (problem: IntegrityProblem): void => {
    if (problems.length < integrityProblemsMax) problems.push(problem);
  };
  const pause = slices(signal);
  await unlessDamaged(add, file, async () => {
    for (const what of await whenFree(busyMs, () => pageProblems(sqlite))) add({ found: `${file}: ${what}` });
  });
  await unlessDamaged(add, file, async () => {
    for await (const run of everyRun(sqlite, busyMs)) {
      await pause();
      found.runs += 1;
      found.entries += await whenFree(busyMs, () => sqlite.snapshot(() => lookAtRun(looked, run, add)));
    }
  });
  await unlessDamaged(add, file, async () => {
    for await (const content of everyContent(sqlite, busyMs)) {
      await pause();
      found.contents += 1;
      lookAtContent(file, content, add);
    }
  });
  return { problems, ...found };
}

/** What SQLite itself meets on a damaged page ends one part of the look, and is a problem like the others. */
async function unlessDamaged(
  add: (problem: IntegrityProblem) => void,
  file: string,
  look: () => Promise<void>,
): Promise<void> {
  try {
    await look();
  } catch (error) {
    const code = error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
    if (typeof code !== "string" || !code.startsWith("SQLITE_CORRUPT")) throw error;
    add({ found: `${file}: a page is damaged (${code})` });
  }
}

/** Of pages, indexes and foreign keys; none when all is well. */
function pageProblems(sqlite: Sqlite): readonly string[] {
  const pages = sqlite.pragmaRows(`integrity_check(${integrityProblemsMax})`) as readonly {
    readonly integrity_check: string;
  }[];
  const keys = sqlite.pragmaRows("foreign_key_check") as readonly {
    readonly table: string;
    readonly rowid: number | null;
    readonly parent: string;
  }[];
  const ownerless = sqlite.all(
    "SELECT DISTINCT place >> 32 AS run FROM entry WHERE place >> 32 NOT IN (SELECT number FROM run) LIMIT 10",
  ) as readonly { readonly run: number }[];
  return [
    ...pages.flatMap(({ integrity_check: found }) => (found === "ok" ? [] : [found])),
    ...keys.map(
      ({ table, rowid, parent }) => `table ${table}, row ${rowid ?? "?"}: what it names in ${parent} is missing`,
    ),
    ...ownerless.map(({ run }) => `table entry: there are rows of run number ${run}, which table run does not have`),
  ];
}

/** How many entries the run has. */
function lookAtRun(
  { sqlite, file }: Looked,
  { number, runId }: NamedRun,
  add: (problem: IntegrityProblem) => void,
): number {
  const where = { runId, file };
  const run = findRun(sqlite, runId);
  // Deleted meanwhile.
  if (run?.number !== number) return 0;
  const rows = entryRows(sqlite, number);
  let damaged = false;
  const attempt = (look: () => void): void => {
    try {
      look();
    } catch (error) {
      if (!isPulseError(error, "PULSE_CORRUPT") && !isPulseError(error, "PULSE_NEWER_FORMAT")) throw error;
      damaged = true;
      add({ runId, found: error.message });
    }
  };
  attempt(() => checkRunRow(where, run));
  for (const row of rows) attempt(() => checkEntryRow(where, number, row));
  // What holds together row by row may still make no record.
  if (damaged) return rows.length;
  attempt(() => {
    for (const digest of new Set(contentsNamed(recordOf(where, run, rows)))) {
      if (isNamed(sqlite, number, digest)) continue;
      add({ runId, found: `${file}, table naming: no row says that the run names the content ${digest}` });
    }
  });
  return rows.length;
}

const isNamed = (sqlite: Sqlite, run: number, digest: string): boolean =>
  sqlite.get(
    `SELECT 1 FROM content JOIN naming ON naming.content = content.number
     WHERE content.digest = ? AND naming.place BETWEEN ${firstPlace} AND ${lastPlace}`,
    digest,
    run,
    run,
  ) !== undefined;

interface ContentRow {
  readonly number: number;
  readonly digest: string;
  readonly size: number;
  readonly bytes: Uint8Array | null;
}

/** One at a time: they are big. */
async function* everyContent(sqlite: Sqlite, busyMs: number): AsyncGenerator<ContentRow> {
  for (let last = 0; ;) {
    const row = await whenFree(
      busyMs,
      () =>
        sqlite.get(
          `SELECT number, digest, size, bytes FROM content LEFT JOIN content_bytes ON content = number
           WHERE number > ? ORDER BY number LIMIT 1`,
          last,
        ) as ContentRow | undefined,
    );
    if (row === undefined) return;
    yield row;
    last = row.number;
  }
}

function lookAtContent(
  file: string,
  { number, digest, size, bytes }: ContentRow,
  add: (problem: IntegrityProblem) => void,
): void {
  const where = `${file}, table content, row ${number} (${digest})`;
  if (bytes === null) return add({ found: `${where}: its bytes are missing` });
  if (bytes.length !== size) add({ found: `${where}: it has ${bytes.length} bytes in place of ${size}` });
  const sum = hash("sha256", bytes);
  if (sum !== digest) add({ found: `${where}: its bytes have the SHA-256 ${sum}, which is not its name` });
}
