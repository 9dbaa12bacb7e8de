import { freshDatabase } from "./database.ts";
import { startPostgres } from "./server.ts";

/** Names an existing server, as `postgres://user:password@host:port/database`: its user must be allowed to make databases. */
export const urlVariable = "PULSE_PG_URL";

/** Why there is no server in this test run. */
export const missingVariable = "PULSE_PG_MISSING";

let own: Promise<string> | undefined;

/**
 * The server of this test run: the one that `PULSE_PG_URL` names, which may be the developer's or the one that the run's
 * set-up started. Without either this process starts one, once, which goes with it. Rejects with the reason where none
 * can be had.
 */
export function sharedPostgres(): Promise<string> {
  const given = process.env[urlVariable] ?? "";
  if (given !== "") return Promise.resolve(given);
  const missing = process.env[missingVariable] ?? "";
  if (missing !== "") return Promise.reject(new Error(`There is no PostgreSQL for the tests: ${missing}`));
  own ??= startPostgres().then(({ url }) => {
    // The processes that this one starts use it too.
    process.env[urlVariable] = url;
    return url;
  });
  return own;
}

/** Makes an empty database on the server of this test run and gives its URL. */
export async function sharedDatabase(): Promise<string> {
  return freshDatabase(await sharedPostgres());
}

/** What {@link needsPostgres} takes of a test's context. */
export interface SkippableTest {
  skip(reason?: string): never;
}

/**
 * Stands before tests that need PostgreSQL: `beforeEach(needsPostgres)`. Where this test run has found that none can be
 * had, each of them is reported as not run, with the reason. Under `CI=true` they run, and fail.
 */
export function needsPostgres(test: SkippableTest): void {
  const missing = process.env[missingVariable] ?? "";
  if (missing !== "" && process.env["CI"] !== "true") test.skip(`there is no PostgreSQL: ${missing}`);
}
