import { isPulseError } from "@pulse-ts/core";
import { needsPostgres } from "@pulse-ts/test-postgres";
import type pg from "pg";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openBench, saveStatement } from "./testing/bench.ts";
import type { PgBench } from "./testing/bench.ts";
import { sampleRun, saveSteps } from "./testing/sample-run.ts";

beforeEach(needsPostgres);

const run = sampleRun("run");
const patience = { timeout: 30_000, interval: 10 };

/** The process of the server that waits for a lock, and what it does. */
async function waiter(bench: PgBench): Promise<number> {
  return await vi.waitFor(async () => {
    const [found] = await bench.ask(
      `SELECT pid FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%"${bench.schema}"%'`,
    );
    expect(found).toBeDefined();
    return Number(found?.["pid"]);
  }, patience);
}

interface Cause {
  readonly code: string;
  readonly title: string;
  /** Settings of the store's connections. */
  readonly settings?: string;
  /** What the other connection does first, in a transaction. */
  readonly holds: (bench: PgBench) => string;
  /** What it does when the save waits for it. */
  readonly meets: (bench: PgBench, other: pg.Client, pid: number) => Promise<unknown>;
}

const lockRow = ({ schema }: PgBench): string => `SELECT FROM "${schema}".runs FOR UPDATE`;

const causes: readonly Cause[] = [
  {
    code: "40001",
    title: "another transaction changed the row, where transactions are repeatable reads",
    holds: ({ schema }) => `UPDATE "${schema}".runs SET resumes = resumes`,
    meets: (_bench, other) => other.query("COMMIT"),
  },
  {
    code: "40P01",
    title: "a deadlock, of which the save is the victim",
    holds: ({ schema }) => `SELECT FROM "${schema}".entries FOR UPDATE`,
    meets: (bench, other) => other.query(`SET LOCAL deadlock_timeout = '1min'; ${lockRow(bench)}`),
  },
  {
    code: "55P03",
    title: "a lock that is not to be had in time",
    settings: "-c lock_timeout=200ms",
    holds: lockRow,
    meets: async () => undefined,
  },
  {
    code: "57P01",
    title: "the administrator ends the connection",
    holds: lockRow,
    meets: (bench, _other, pid) => bench.ask("SELECT pg_terminate_backend($1)", [pid]),
  },
  {
    code: "57014",
    title: "the administrator cancels the statement",
    holds: lockRow,
    meets: (bench, _other, pid) => bench.ask("SELECT pg_cancel_backend($1)", [pid]),
  },
];

describe("a save that the server gives up", () => {
  test.each(causes.map((cause) => [cause.code, cause.title, cause] as const))(
    "KIT-6 %s, %s: nothing is written, nothing is sent again, and the run goes on",
    async (_code, _title, cause) => {
      await using bench = await openBench();
      const address = new URL(bench.link.url);
      if (cause.settings !== undefined) address.searchParams.set("options", cause.settings);
      const store = bench.open({ connectionString: address.href });
      const session = await store.acquire(run.runId);
      await saveSteps(session, run, 0, 1);
      // The schema was looked at; from here on every new transaction is of this kind.
      if (cause.code === "40001") await isolate(bench, "= 'repeatable read'");

      const other = await bench.connect();
      await other.query("BEGIN");
      await other.query(cause.holds(bench));
      const sent = bench.link.statements.length;
      // It puts the entries of the first save again, so that it needs their rows.
      const again = [...run.changesTo(1), ...run.changesTo(2)];
      const saved = session.save(run.at(2), 1, again).then(
        () => "saved",
        (error: unknown) => error,
      );
      const pid = await waiter(bench);
      await cause.meets(bench, other, pid);
      const error = await saved;
      await other.query("ROLLBACK");
      expect(error).toMatchObject({ code: "PULSE_STORE", details: { runId: run.runId, systemCode: cause.code } });
      expect(isPulseError(error) && error.message).toMatch(new RegExp(`^saving run "run": .* \\(${cause.code}\\)`));
      expect(bench.link.statements.slice(sent).filter((text) => saveStatement.test(text))).toHaveLength(1);
      await session.close();

      if (cause.code === "40001") await isolate(bench, "TO DEFAULT");
      const next = await bench.openDirect().acquire(run.runId);
      expect(await next.load()).toEqual(run.at(1));
      await saveSteps(next, run, 1, 2);
    },
  );

  test.each([
    ["53100", "the disk of the server is full"],
    ["53200", "the server is out of memory"],
    ["XX001", "the database is damaged"],
  ])("KIT-6 %s from inside the statement: %s", async (code, words) => {
    await using bench = await openBench();
    const session = await bench.open().acquire(run.runId);
    await saveSteps(session, run, 0, 1);
    await bench.ask(
      `CREATE FUNCTION "${bench.schema}".fail() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '${code}'; END $$`,
    );
    await bench.ask(
      `CREATE TRIGGER fails BEFORE INSERT ON "${bench.schema}".entries EXECUTE FUNCTION "${bench.schema}".fail()`,
    );
    await expect(saveSteps(session, run, 1, 2)).rejects.toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringContaining(words),
      details: { systemCode: code },
    });
    await session.close();
    await bench.ask(`DROP TRIGGER fails ON "${bench.schema}".entries`);
    const next = await bench.open().acquire(run.runId);
    // The row of the run came before the entry in the statement, and went with it.
    expect(await next.load()).toEqual(run.at(1));
    await saveSteps(next, run, 1, 2);
  });
});

/** Sets how transactions are on connections that are made from now on; the store has none left. */
async function isolate(bench: PgBench, value: string): Promise<void> {
  const name = new URL(bench.url).pathname.slice(1);
  await bench.ask(`ALTER DATABASE ${name} SET default_transaction_isolation ${value}`);
  bench.link.cutAll();
}
