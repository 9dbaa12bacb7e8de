import { whenFree } from "./busy.ts";
import { fromSortKey } from "./run-order.ts";
import type { Sqlite } from "./sqlite.ts";

/** A run by its number and its id. */
export interface NamedRun {
  readonly number: number;
  readonly runId: string;
}

/** How many are looked up at once. */
const pageRows = 200;

/** Every run that is there from the beginning to the end of the walk. Others may be written meanwhile. */
export async function* everyRun(sqlite: Sqlite, busyMs: number): AsyncGenerator<NamedRun> {
  for (let last = 0; ;) {
    const rows = await whenFree(
      busyMs,
      () =>
        sqlite.all(
          "SELECT number, sort FROM run WHERE number > ? ORDER BY number LIMIT ?",
          last,
          pageRows,
        ) as readonly {
          readonly number: number;
          readonly sort: Uint8Array;
        }[],
    );
    for (const { number, sort } of rows) yield { number, runId: fromSortKey(sort) };
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.number;
  }
}
