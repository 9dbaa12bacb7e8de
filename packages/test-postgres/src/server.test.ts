import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { needsPostgres, sharedDatabase, startPostgres } from "./index.ts";

beforeEach(needsPostgres);

async function ask(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test("a server that is stopped in order, or in the middle, starts again with what was committed", async () => {
  await using server = await startPostgres();
  await ask(server.url, "CREATE TABLE kept (value int)");
  for (const mode of ["fast", "immediate"] as const) {
    await ask(server.url, "INSERT INTO kept VALUES (1)");
    await server.stop(mode);
    expect(server.pid).toBeUndefined();
    await expect(ask(server.url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await server.start();
  }
  expect(await ask(server.url, "SELECT value FROM kept")).toEqual([{ value: 1 }, { value: 1 }]);
});

test("settings are the server's, and fsync is off unless it is asked for", async () => {
  await using plain = await startPostgres();
  await using measured = await startPostgres({ fsync: true, settings: { max_connections: "20" } });
  expect(await ask(plain.url, "SHOW fsync")).toEqual([{ fsync: "off" }]);
  expect(await ask(measured.url, "SHOW fsync")).toEqual([{ fsync: "on" }]);
  expect(await ask(measured.url, "SHOW max_connections")).toEqual([{ max_connections: "20" }]);
});

test("each fresh database is empty, and none sees another", async () => {
  const [one, other] = await Promise.all([sharedDatabase(), sharedDatabase()]);
  await ask(one, "CREATE TABLE own ()");
  await expect(ask(other, "SELECT FROM own")).rejects.toThrow('relation "own" does not exist');
});
