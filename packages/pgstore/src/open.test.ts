import { inspect } from "node:util";
import { needsPostgres } from "@pulse-ts/test-postgres";
import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { contentBytesMinMax, leaseMsMin, pgStore } from "./index.ts";
import type { PgStoreOptions } from "./index.ts";
import { openBench } from "./testing/bench.ts";

const connectionString = "postgres://user:s3cret@127.0.0.1:1/none";

describe("options", () => {
  const wrong: readonly (readonly [option: string, options: object, wanted: string])[] = [
    ["none", {}, "give either connectionString or pool"],
    ["both", { connectionString, pool: new pg.Pool() }, "give either connectionString or pool"],
    ["an empty address", { connectionString: "" }, "connectionString is"],
    ["an address that is none", { connectionString: "postgres://user:s3cret@host:port/x" }, "it cannot be read"],
    [
      "a certificate's file that is not there",
      { connectionString: `${connectionString}?sslrootcert=/no/file` },
      "is not there",
    ],
    ["no pool", { pool: {} }, "give a Pool of pg"],
    ["tls with a pool", { pool: new pg.Pool(), tls: true }, "tls goes with connectionString"],
    ["tls as text", { connectionString, tls: "yes" }, "true, false or options of tls.connect"],
    ["a short lease", { connectionString, leaseMs: leaseMsMin - 1 }, `whole milliseconds from ${leaseMsMin}`],
    ["no connections", { connectionString, connectionsMax: 0 }, "whole connections from 1"],
    ["no time", { connectionString, acquireMs: 0 }, "acquireMs is 0"],
    ["half a millisecond", { connectionString, closeMs: 0.5 }, "closeMs is 0.5"],
    ["too much in an entry", { connectionString, contentBytesMin: contentBytesMinMax + 1 }, "contentBytesMin is"],
    ["no function", { connectionString, onNotice: 1 }, "onNotice is 1"],
    ["a true holder", { connectionString, holderConnection: true }, "an address of PostgreSQL, or false"],
    ["what is no option", { connectionString, Schema: "x" }, "Schema is no option"],
  ];

  test.each(wrong)("PG-1 %s is refused, without the password", (_what, options, wanted) => {
    let refused: unknown;
    try {
      pgStore(options as PgStoreOptions);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: "PULSE_INVALID", message: expect.stringContaining(wanted) });
    expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain("s3cret");
  });

  test("PG-1 nothing is sent before the first call", async () => {
    const kinds: string[] = [];
    const store = pgStore({ connectionString, onNotice: ({ kind }) => void kinds.push(kind) });
    await store.close();
    // Nothing listens at this address: an attempt would have been told.
    expect(kinds).toEqual([]);
  });
});

describe("a server that is not as it should be", () => {
  beforeEach(needsPostgres);

  const refusedBy = async (options: PgStoreOptions): Promise<unknown> => {
    const store = pgStore(options);
    try {
      return await store.acquire("run").catch((error: unknown) => error);
    } finally {
      await store.close();
    }
  };
  const expected = (found: string, systemCode: string) => ({
    code: "PULSE_STORE",
    message: expect.stringContaining(found),
    details: { runId: "run", next: "mend-store", systemCode },
  });

  test("PG-1 a server without secured connections is told, and the option tls wins over the address", async () => {
    await using bench = await openBench();
    const url = new URL(bench.url);
    url.searchParams.set("sslmode", "disable");
    expect(await refusedBy({ connectionString: url.href, tls: { rejectUnauthorized: false } })).toMatchObject(
      expected("the server does not take secured connections", "PG_NO_TLS"),
    );
    url.searchParams.set("sslmode", "require");
    const store = pgStore({ connectionString: url.href, tls: false, schema: bench.schema });
    await (await store.acquire("run")).close();
    await store.close();
  });

  test("PG-1 a user without the rights is told, for the tables and for migrate()", async () => {
    await using bench = await openBench();
    const role = `pulse_nobody_${process.pid}`;
    await bench.ask(`CREATE ROLE ${role} LOGIN PASSWORD 's3cret'`);
    try {
      const url = new URL(bench.url);
      url.username = role;
      url.password = "s3cret";
      const options = { connectionString: url.href, schema: bench.schema };
      expect(await refusedBy(options)).toMatchObject(expected("permission is lacking", "42501"));
      const store = pgStore({ ...options, schema: "of my own" });
      await expect(store.migrate()).rejects.toMatchObject({ code: "PULSE_STORE", details: { systemCode: "42501" } });
      await store.close();
    } finally {
      await bench.ask(`DROP ROLE ${role}`);
    }
  });

  test("PG-1 a database that is read-only is told before anything is written", async () => {
    await using bench = await openBench();
    const url = new URL(bench.url);
    url.searchParams.set("options", "-c default_transaction_read_only=on");
    const options = { connectionString: url.href, schema: bench.schema };
    expect(await refusedBy(options)).toMatchObject(expected("the database is read-only", "25006"));
    const store = pgStore({ ...options, schema: "new" });
    await expect(store.migrate()).rejects.toMatchObject({ code: "PULSE_STORE", details: { systemCode: "25006" } });
    await store.close();
  });

  test("PG-4 transactions that are stricter by default are told: a renewal would make a save fail", async () => {
    await using bench = await openBench();
    const url = new URL(bench.url);
    url.searchParams.set("options", "-c default_transaction_isolation=serializable");
    const refused = await refusedBy({ connectionString: url.href, schema: bench.schema });
    expect(refused).toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringContaining('transactions of this user are "serializable" by default'),
    });
  });

  test("PG-7 saves that a crash of the server may undo are told once", async () => {
    await using bench = await openBench();
    const url = new URL(bench.url);
    url.searchParams.set("options", "-c synchronous_commit=off");
    const kinds: string[] = [];
    const onNotice: PgStoreOptions["onNotice"] = ({ kind }) => void kinds.push(kind);
    const store = pgStore({ connectionString: url.href, schema: bench.schema, onNotice });
    for (const runId of ["a", "b"]) await (await store.acquire(runId)).close();
    await store.close();
    expect(kinds).toEqual(["not-durable"]);
  });
});
