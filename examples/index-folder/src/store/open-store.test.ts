import { needsPostgres, sharedDatabase } from "@pulse-ts/test-postgres";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../testing/job-in-process.ts";
import { folderWith, sampleFiles, temporaryFolder } from "../testing/sample-folder.ts";

/** Starts the job on a store, twice as a person would. */
async function bench() {
  const docs = await folderWith(sampleFiles);
  const workingFolder = await temporaryFolder();
  const run = (store: string) => runHere([docs, "--store", store, "--run-id", "trial"], { workingFolder });
  return { docs, workingFolder, run };
}

test("DUR-3 a job in one file of SQLite is found again", async () => {
  const { run, workingFolder } = await bench();
  const first = await run("sqlite:kept/runs.db");
  expect(first.error).toBe(undefined);
  expect(first.shown).toContain("Run trial, kept in kept/runs.db.");
  expect((await run("sqlite:./kept/runs.db")).shown).toContain("nothing was done again");
  expect(await readdir(join(workingFolder, "kept"))).toContain("runs.db");
});

test("DUR-3 PG-1 a job in PostgreSQL makes its tables at first, and is found again", async (context) => {
  needsPostgres(context);
  const { run } = await bench();
  const address = await sharedDatabase();
  const first = await run(address);
  expect(first.error).toBe(undefined);
  expect(first.shown).toContain("Made the tables that runs are kept in.");
  expect(first.shown).toContain(`Run trial, kept in postgres://${new URL(address).host}/`);
  expect(first.shown).not.toContain(new URL(address).password);
  const again = await run(address);
  expect(again.shown).not.toContain("Made the tables");
  expect(again.shown).toContain("nothing was done again");
});

test("a wrong password, a database that is not there and a server that is not there are told without the password", async (context) => {
  needsPostgres(context);
  const { run } = await bench();
  const url = new URL(await sharedDatabase());
  const changed = (fields: Partial<URL>): string => Object.assign(new URL(url), fields).href;
  const told = async (address: string): Promise<string> => (await run(address)).explained ?? "it ran";
  const nowhere = await told(changed({ pathname: "/nowhere" }));
  const silent = await told(changed({ port: "1" }));
  expect(nowhere).toContain("there is no such database; create it or give another name (3D000)");
  expect(silent).toContain("nothing listens at this address");
  for (const text of [nowhere, silent]) expect(text).not.toContain(url.password);
  // A server that trusts every local connection asks for no password.
  const wrong = await told(changed({ password: "s3cret-and-wrong" }));
  expect(wrong).toMatch(/the password is wrong|it ran/u);
  expect(wrong).not.toContain("s3cret-and-wrong");
});
