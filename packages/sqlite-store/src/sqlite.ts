import Driver from "better-sqlite3";
import type { Database, Statement } from "better-sqlite3";

/** What a statement is given, and what its rows hold. */
export type Cell = string | number | bigint | null | Uint8Array;

/**
 * One connection, with its statements kept prepared under their text. All calls are synchronous. Callers narrow the rows
 * that they get to what their statement selects: tables are STRICT, so a cell has the type of its column.
 */
export class Sqlite {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(
    file: string,
    options: { readonly lockMs: number; readonly mustExist?: boolean; readonly readOnly?: boolean },
  ) {
    const { lockMs, mustExist = false, readOnly = false } = options;
    this.#database = new Driver(file, { timeout: lockMs, fileMustExist: mustExist || readOnly, readonly: readOnly });
  }

  /** Does a statement that gives no rows; how many rows it changed. */
  run(sql: string, ...cells: readonly Cell[]): number {
    return this.#statement(sql).run(...cells).changes;
  }

  /** The first row; `undefined` when there is none. */
  get(sql: string, ...cells: readonly Cell[]): unknown {
    return this.#statement(sql).get(...cells);
  }

  all(sql: string, ...cells: readonly Cell[]): readonly unknown[] {
    return this.#statement(sql).all(...cells);
  }

  /** Several statements, not kept. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The first cell that a pragma gives. */
  pragma(sql: string): unknown {
    return this.#database.pragma(sql, { simple: true });
  }

  /** All rows that a pragma gives. */
  pragmaRows(sql: string): readonly unknown[] {
    return this.#database.pragma(sql) as readonly unknown[];
  }

  /** Reads several times from one state of the file. */
  snapshot<Result>(action: () => Result): Result {
    if (this.inTransaction) return action();
    this.run("BEGIN");
    try {
      return action();
    } finally {
      if (this.inTransaction) this.run("COMMIT");
    }
  }

  /** Copies the whole database into another file, as many pages in a turn of the event loop as `turn` says; how many in all. */
  async backup(
    path: string,
    turn: (copied: { readonly total: number; readonly remaining: number }) => number,
  ): Promise<number> {
    const { totalPages } = await this.#database.backup(path, {
      progress: ({ totalPages: total, remainingPages: remaining }) => turn({ total, remaining }),
    });
    return totalPages;
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
