import { hash } from "node:crypto";
import { isPulseError } from "@pulse-ts/core";
import type { Pool, PoolClient, QueryResult } from "pg";
import { limitOf, within } from "./limit.ts";
import type { Limit } from "./limit.ts";
import { isServerError, mayPassSoon, sqlstate } from "./sqlstate.ts";
import type { AtMoment, Step } from "./steps.ts";

/** One statement. */
export interface Statement {
  readonly step: Step;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Kept prepared by each connection. Only for texts that differ by nothing but the schema's name. */
  readonly prepared?: boolean;
}

/** What the driver makes of the types that the store asks for; a number of 64 bits is asked for as text. */
export type Cell = string | number | boolean | Buffer | null | undefined;

export type Row = Readonly<Record<string, Cell>>;

export interface RunOptions {
  readonly limit?: Limit;
  /**
   * Waits for a connection while the server starts or cannot be reached, until the limit: for calls of an owner. Nothing
   * was sent as long as it waits. What was sent is never sent again (PG-7).
   */
  readonly patient?: boolean;
  /**
   * Sends it once more when its connection is lost: for what may happen twice. The pool gives out connections that the
   * server has closed as long as nobody has noticed.
   */
  readonly repeatable?: boolean;
  /** Called when the statement is about to be sent: from then on it may have been done. */
  readonly onSend?: () => void;
}

/** Statements on the pool. No call keeps its connection (PG-5). */
export interface Database {
  /** Runs one statement in a transaction of its own: one round trip. */
  run(statement: Statement, options?: RunOptions): Promise<readonly Row[]>;
  /** The same, and gives the number of rows that the statement ends with. */
  change(statement: Statement, options?: RunOptions): Promise<number>;
  /** Runs several in one transaction, committed when `work` is done. */
  transaction<Result>(steps: TransactionSteps, work: (run: RunInside) => Promise<Result>): Promise<Result>;
  /** Kept from preparing statements: a proxy stands between that gives each transaction another connection. */
  prepareNothing(): void;
}

export type RunInside = (statement: Statement) => Promise<readonly Row[]>;

export interface TransactionSteps {
  readonly begin: Step;
  readonly commit: Step;
  readonly limit?: Limit;
}

export interface DatabaseParts {
  readonly pool: Pool;
  /** Milliseconds for one statement and for the connection that it waits for. */
  readonly statementMs: number;
  readonly at: AtMoment | undefined;
}

export function database({ pool, statementMs, at }: DatabaseParts): Database {
  let prepares = true;

  const send = async (client: PoolClient, statement: Statement, limit: Limit): Promise<QueryResult<Row>> => {
    const { step, text, values, prepared = false } = statement;
    await at?.("before", step);
    const query = {
      text,
      ...(values === undefined ? {} : { values: [...values] }),
      ...(prepared && prepares ? { name: statementName(text) } : {}),
    };
    const result = await within(client.query<Row>(query), limit);
    await at?.("after", step);
    return result;
  };
  const sendOnce = async (statement: Statement, options: RunOptions): Promise<QueryResult<Row>> => {
    const limit = options.limit ?? limitOf(statementMs);
    const client = await checkOut(pool, limit, options.patient ?? false);
    return await using(client, async () => {
      options.onSend?.();
      return await send(client, statement, limit);
    });
  };
  const sendAgain = async (statement: Statement, options: RunOptions): Promise<QueryResult<Row>> => {
    try {
      return await sendOnce(statement, options);
    } catch (error) {
      // The server has none of that name, or one of another connection: it refused before it did anything.
      const refused = prepares && lostPreparation.has(sqlstate(error) ?? "");
      if (refused) prepares = false;
      else if (options.repeatable !== true || !mayPassSoon(error)) throw error;
      return await sendOnce(statement, options);
    }
  };
  return {
    run: async (statement, options = {}) => (await sendAgain(statement, options)).rows,
    change: async (statement, options = {}) => (await sendAgain(statement, options)).rowCount ?? 0,
    async transaction({ begin, commit, limit = limitOf(statementMs) }, work) {
      const client = await checkOut(pool, limit, false);
      return await using(client, async () => {
        await send(client, { step: begin, text: "BEGIN ISOLATION LEVEL READ COMMITTED" }, limit);
        try {
          const result = await work(
            async (statement) => (await send(client, { ...statement, prepared: false }, limit)).rows,
          );
          await send(client, { step: commit, text: "COMMIT" }, limit);
          return result;
        } catch (error) {
          await within(client.query("ROLLBACK"), limit).catch(() => undefined);
          throw error;
        }
      });
    },
    prepareNothing() {
      prepares = false;
    },
  };
}

/** The same text has the same name wherever it is prepared, and no other text has it. */
const statementName = (text: string): string => {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `pulse-${hash("sha256", text).slice(0, 32)}`));
  return name;
};
const names = new Map<string, string>();

/** `invalid_sql_statement_name` and `duplicate_prepared_statement`. */
const lostPreparation = new Set(["26000", "42P05"]);

/** Works with a connection and gives it back; one that failed by more than its statement is thrown away. */
async function using<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
  let broken = true;
  try {
    const result = await work();
    broken = false;
    return result;
  } catch (error) {
    broken = !isServerError(error) && !isPulseError(error);
    throw error;
  } finally {
    giveBack(client, broken);
  }
}

/** A connection of the pool, whose waiters count too (PG-2). */
async function checkOut(pool: Pool, limit: Limit, patient: boolean): Promise<PoolClient> {
  for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    limit.signal?.throwIfAborted();
    const coming = takeClient(pool);
    try {
      return await within(coming, limit);
    } catch (error) {
      // One that comes too late is given back.
      coming.then(
        (client) => giveBack(client, false),
        () => undefined,
      );
      if (!patient || !mayPassSoon(error) || performance.now() + pauseMs > limit.until) throw error;
      await within(pause(pauseMs), limit);
    }
  }
}

/**
 * The pool stops listening to a connection when it gives it away, and an error that nobody hears ends the process; the
 * server's last word may stand behind its first in one packet. So its error is heard before any other code runs: the
 * statement that is under way, or the next one, tells it.
 */
async function takeClient(pool: Pool): Promise<PoolClient> {
  return await new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (client === undefined) return reject(error ?? new Error("the pool gave no connection"));
      client.on("error", ignore);
      return resolve(client);
    });
  });
}

function giveBack(client: PoolClient, broken: boolean): void {
  client.off("error", ignore);
  client.release(broken);
}

const ignore = (): void => undefined;

const pauseMsFirst = 50;
const pauseMsMax = 1_000;

const pause = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));
