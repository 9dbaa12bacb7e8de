import { chmod, cp } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { folderVariable, nativeFolder, programsVariable } from "./binaries.ts";
import { needsPostgres, startPostgres } from "./index.ts";
import { ask } from "./testing/ask.ts";
import { ownTemp } from "./testing/run.ts";

beforeEach(needsPostgres);

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

test("a server starts from programs that stand where its user may not go", async () => {
  await using temp = await ownTemp();
  const closed = join(temp.folder, "closed");
  await cp(nativeFolder(), closed, { recursive: true, verbatimSymlinks: true });
  await chmod(closed, 0o700);
  vi.stubEnv(programsVariable, closed);
  // Nothing of this run's server: that stands open already.
  vi.stubEnv(folderVariable, "");
  await using server = await startPostgres();
  vi.unstubAllEnvs();
  expect(await ask(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
});
