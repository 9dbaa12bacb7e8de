import type { CatalogAdapter } from "@pulse-ts/durable/define-store";
import type { CatalogQuery, CatalogRun } from "@pulse-ts/durable";
import { whenFree } from "./busy.ts";
import type { Open } from "./connection.ts";
import { contentBytes } from "./content.ts";
import { atStep } from "./fault-points.ts";
import { ownerOf, refuseOwned } from "./owner.ts";
import type { Medium } from "./owner.ts";
import { readRun } from "./read.ts";
import { findRun, firstPlace, lastPlace } from "./rows.ts";
import type { RunRow } from "./rows.ts";
import { behindPrefix, fromSortKey, sortKey } from "./run-order.ts";
import type { Cell, Sqlite } from "./sqlite.ts";
import { forRun } from "./store.ts";
import { runSum } from "./sums.ts";

/** Lists, reads, counts and deletes runs without owning them (STORE-7). Makes no file where there is none. */
export function catalogOf(medium: Medium): Required<CatalogAdapter> {
  const { connection, parts } = medium;
  const reading = async <Result>(
    runId: string,
    none: Result,
    action: (open: Open) => Result | Promise<Result>,
  ): Promise<Result> =>
    await forRun(medium, runId, async () => {
      const open = await connection.toRead();
      return open === undefined ? none : await action(open);
    });
  return {
    list: async (query) =>
      await reading("", [], async ({ sqlite }) => {
        const { sql, cells } = listStatement(query);
        const rows = await whenFree(parts.busyMs, () => sqlite.all(sql, ...cells) as readonly ListedRow[]);
        return rows.map((row) => listed(parts.file, row));
      }),
    count: async (query) =>
      await reading("", 0, async ({ sqlite }) => {
        const { sql, cells } = countStatement(query);
        return (
          (await whenFree(parts.busyMs, () => sqlite.get(sql, ...cells) as { readonly count: number } | undefined))
            ?.count ?? 0
        );
      }),
    read: async (runId) => await reading(runId, undefined, async (open) => (await readRun(parts, open, runId))?.record),
    content: async (runId, digest) =>
      await reading(
        runId,
        undefined,
        async ({ sqlite }) => await whenFree(parts.busyMs, () => contentBytes(sqlite, digest)),
      ),
    delete: async (runId) => await reading(runId, undefined, async (open) => await deleteRun(medium, open, runId)),
  };
}

type ListedRow = RunRow & { readonly sort: Uint8Array };

/** A statement and what it is given. */
interface Asked {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

/** One page as one range of an index. */
export function listStatement(query: CatalogQuery & { readonly limit: number }): Asked {
  const { where, cells } = rangeOf(query);
  return {
    sql: `SELECT number, sort, revision, status, version, resumes, entries, sum FROM run${where} ORDER BY sort LIMIT ?`,
    cells: [...cells, query.limit],
  };
}

/** Counts within an index. */
export function countStatement(query: Pick<CatalogQuery, "status" | "prefix">): Asked {
  const { where, cells } = rangeOf(query);
  return { sql: `SELECT count(*) AS count FROM run${where}`, cells };
}

function rangeOf({ status, prefix, after }: CatalogQuery): { readonly where: string; readonly cells: readonly Cell[] } {
  const conditions: string[] = [];
  const cells: Cell[] = [];
  const add = (condition: string, cell: Cell): void => {
    conditions.push(condition);
    cells.push(cell);
  };
  if (status !== undefined) add("status = ?", status);
  if (after !== undefined) add("sort > ?", sortKey(after));
  if (prefix !== undefined && prefix !== "") {
    add("sort >= ?", sortKey(prefix));
    const behind = behindPrefix(prefix);
    if (behind !== undefined) add("sort < ?", behind);
  }
  return { where: conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`, cells };
}

function listed(file: string, row: ListedRow): CatalogRun {
  const { sort, status, revision, version, resumes } = row;
  const runId = fromSortKey(sort);
  const run = { runId, status, revision, version, resumes };
  if (runSum({ ...row, id: runId }) === row.sum) return run;
  return { ...run, problem: `${file}, table run, row ${row.number}: its checksum does not fit` };
}

const deleteRoundsMax = 50;

async function deleteRun(medium: Medium, open: Open, runId: string): Promise<void> {
  const { parts, batch } = medium;
  for (let round = 0; round < deleteRoundsMax; round += 1) {
    const owner = await ownerOf(medium, open, runId);
    if (owner !== undefined) await refuseOwned(medium, open, "deleting", runId, owner);
    const done = await batch.add({
      durable: true,
      write: ({ sqlite }) => atStep(parts.at, "run-delete", () => deleteRows(sqlite, runId, owner?.epoch)),
    });
    if (done) return;
  }
}

/** `false` when another owner than the judged one is there. */
function deleteRows(sqlite: Sqlite, runId: string, gone: number | undefined): boolean {
  const sort = sortKey(runId);
  const owner = (sqlite.get("SELECT epoch FROM owner WHERE sort = ?", sort) as { readonly epoch: number } | undefined)
    ?.epoch;
  if (owner !== undefined && owner !== gone) return false;
  if (owner !== undefined) sqlite.run("DELETE FROM owner WHERE epoch = ?", owner);
  const run = findRun(sqlite, runId)?.number;
  if (run === undefined) return true;
  sqlite.run(`DELETE FROM entry WHERE place BETWEEN ${firstPlace} AND ${lastPlace}`, run, run);
  sqlite.run("DELETE FROM run WHERE number = ?", run);
  return true;
}
