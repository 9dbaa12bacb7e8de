import { setImmediate } from "node:timers";
import { whenFree } from "./busy.ts";
import { isFileOf, removed } from "./connection.ts";
import type { Connection, Open } from "./connection.ts";
import { atStep } from "./fault-points.ts";
import type { Parts } from "./parts.ts";
import type { Sqlite } from "./sqlite.ts";

/** One change of the database, whole or not at all. Synchronous: it is done inside a transaction with others. */
export interface Write<Result> {
  /**
   * Whether it must outlive a loss of power once its caller has heard of it. Who owns a run need not: the owner does not
   * outlive it either. What comes after it in the log does not reach the disk before it.
   */
  readonly durable: boolean;
  write(open: Open): Result;
}

/**
 * Puts everything that is written in one turn of the event loop into one transaction (SQL-2): the sync that makes it
 * durable is what a save costs, and all share it. Each has a savepoint of its own, so one that fails fails alone. Nobody
 * hears of success before COMMIT has returned.
 */
export class Batch {
  readonly #parts: Parts;
  readonly #connection: Connection;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;
  /** What should have been written and could not be. */
  readonly #owed = new Set<Waiting>();
  /** Transactions since the length of the log was looked at. */
  #sinceLook = 0;

  constructor(parts: Parts, connection: Connection) {
    this.#parts = parts;
    this.#connection = connection;
  }

  /** Writes with the next transaction. @throws what `write` threw, or what made the whole transaction fail */
  async add<Result>(write: Write<Result>): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      this.#waiting.push(waitingFor(write, resolve, reject));
      this.#work ??= this.#drain();
    });
  }

  /** Writes this too whenever something else is written, until it succeeds once; nobody waits for it. */
  owe(write: Write<unknown>): void {
    const owed = waitingFor(
      write,
      () => void this.#owed.delete(owed),
      () => undefined,
    );
    this.#owed.add(owed);
  }

  /** Resolves when nothing waits to be written. */
  async idle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    do {
      // What other callbacks of this turn of the event loop still want to write comes along.
      await nextTurn();
      await this.#transaction();
    } while (this.#waiting.length > 0);
    this.#work = undefined;
  }

  async #transaction(): Promise<void> {
    const due = this.#waiting.length;
    try {
      const open = await this.#connection.opened();
      await whenFree(this.#parts.busyMs, () => this.#begin(open));
      if (this.#isLogLong(open)) await this.#checkpoint(open);
    } catch (error) {
      // It was not begun. What came meanwhile has its own time to wait.
      for (const one of this.#waiting.splice(0, due)) {
        one.fail(error);
        one.settle();
      }
    }
  }

  /** One transaction from its begin to its end, without a pause: nobody comes in between. Throws only if it was not begun. */
  #begin({ sqlite, identity }: Open): void {
    const { at, synchronous } = this.#parts;
    const unsynced = synchronous === "full" && !this.#waiting.some(({ durable }) => durable);
    if (unsynced) sqlite.pragma("synchronous = normal");
    try {
      atStep(at, "begin", () => sqlite.run("BEGIN IMMEDIATE"));
      const batch = [...this.#owed, ...this.#waiting.splice(0, writesMax)];
      this.#writeAll({ sqlite, identity }, batch);
      for (const one of batch) one.settle();
    } finally {
      if (sqlite.inTransaction) sqlite.run("ROLLBACK");
      if (unsynced) sqlite.pragma("synchronous = full");
    }
  }

  #writeAll(open: Open, batch: readonly Waiting[]): void {
    const { at, file } = this.#parts;
    try {
      for (const one of batch) {
        // Alone in its transaction, it needs no savepoint to fail alone.
        if (batch.length === 1) one.write(open);
        else writeOne(open, one);
      }
      atStep(at, "commit", () => open.sqlite.run("COMMIT"));
      if (!isFileOf(file, open.identity)) throw removed();
    } catch (error) {
      // All of it was rolled back, or nobody knows: what had failed by itself keeps its own error.
      for (const one of batch) one.fail(error);
    }
  }

  #isLogLong({ sqlite }: Open): boolean {
    this.#sinceLook += 1;
    if (this.#sinceLook < transactionsPerLook) return false;
    this.#sinceLook = 0;
    return logFrames(sqlite) >= checkpointFrames;
  }

  /** Moves the log into the database, after the saves have been told. */
  async #checkpoint({ sqlite }: Open): Promise<void> {
    await nextTurn();
    try {
      atStep(this.#parts.at, "checkpoint", () => sqlite.pragma("wal_checkpoint(PASSIVE)"));
    } catch {
      // What was saved is safe in the log, whatever becomes of this. A disk that fails is told by the next save.
    }
  }
}

/** Writes in one transaction: more would keep the event loop still for too long. */
const writesMax = 500;

/** Transactions from one look at the length of the log to the next: a look costs as much as a statement. */
const transactionsPerLook = 32;

/** Pages in the write-ahead log from which they are moved into the database. */
const checkpointFrames = 1_000;

const nextTurn = async (): Promise<void> => await new Promise((resolve) => void setImmediate(resolve));

/** Pages in the write-ahead log that are not in the database yet. Writes nothing. */
function logFrames(sqlite: Sqlite): number {
  const [state] = sqlite.pragmaRows("wal_checkpoint(NOOP)") as readonly {
    readonly log: number;
    readonly checkpointed: number;
  }[];
  return state === undefined ? 0 : state.log - state.checkpointed;
}

/** A write that waits for its transaction, and then for its end. */
interface Waiting {
  readonly durable: boolean;
  write(open: Open): void;
  /** Only the first failure counts. */
  fail(error: unknown): void;
  settle(): void;
}

function waitingFor<Result>(
  { durable, write }: Write<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Waiting {
  let outcome: { readonly result: Result } | { readonly error: unknown } | undefined;
  return {
    durable,
    write(open) {
      outcome = undefined;
      outcome = { result: write(open) };
    },
    fail(error) {
      if (outcome === undefined || "result" in outcome) outcome = { error };
    },
    settle() {
      if (outcome === undefined) return;
      if ("error" in outcome) reject(outcome.error);
      else resolve(outcome.result);
    },
  };
}

/** @throws when SQLite has rolled the whole transaction back */
function writeOne(open: Open, one: Waiting): void {
  const { sqlite } = open;
  sqlite.run("SAVEPOINT one");
  try {
    one.write(open);
  } catch (error) {
    one.fail(error);
    if (!sqlite.inTransaction) throw error;
    sqlite.run("ROLLBACK TO one");
  }
  sqlite.run("RELEASE one");
}
