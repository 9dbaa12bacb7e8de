import { randomBytes } from "node:crypto";
import { folderVariable } from "./binaries.ts";
import { checkServer, dropDatabases, runVariable } from "./database.ts";
import { startServer } from "./server.ts";
import { missingVariable, urlVariable } from "./shared.ts";

/**
 * vitest's set-up of a project whose tests need PostgreSQL: one server for the whole run, whichever projects ask for it.
 * The processes of the tests inherit where it is. Where none can be had the run goes on and says so.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const { env } = process;
  if (env[runVariable] !== undefined) return undefined;
  const run = randomBytes(4).toString("hex");
  env[runVariable] = run;
  const given = env[urlVariable] ?? "";
  if (given !== "") {
    await checkServer(given);
    return () => dropDatabases(given, run);
  }
  try {
    const { server, folder } = await startServer({}, { template: true });
    env[urlVariable] = server.url;
    env[folderVariable] = folder;
    return () => Promise.resolve(server[Symbol.asyncDispose]());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    env[missingVariable] = reason;
    console.error(`not run: the tests that need PostgreSQL: ${reason}`);
    return undefined;
  }
}
