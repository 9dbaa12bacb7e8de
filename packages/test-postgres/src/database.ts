import { randomBytes } from "node:crypto";
import pg from "pg";

/** How the databases of one test run are called. Set by the run's set-up, which drops them in the end. */
export const runVariable = "PULSE_PG_RUN";

const prefix = "pulse_test_";

/**
 * Makes an empty database on the server at `url` and gives its URL. The server's own locale and encoding do not matter:
 * it is UTF-8 and sorts by code points, whichever server it is.
 */
export async function freshDatabase(url: string): Promise<string> {
  const run = process.env[runVariable] ?? "x";
  const name = `${prefix}${run}_${randomBytes(6).toString("hex")}`;
  // template0 takes no connections, so that nobody's connection to the template can be in the way.
  await onServer(url, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`),
  );
  const found = new URL(url);
  found.pathname = `/${name}`;
  return found.href;
}

/** Refuses a server that cannot be reached, by its host, without the password that its URL has. */
export async function checkServer(url: string): Promise<void> {
  try {
    await onServer(url, (client) => client.query("SELECT"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`PULSE_PG_URL names a server that cannot be used: ${reason}`, { cause: error });
  }
}

/** Drops the databases that {@link freshDatabase} made in the test run `run`. */
export async function dropDatabases(url: string, run: string): Promise<void> {
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)",
      [`${prefix}${run}_`],
    );
    for (const { name } of rows) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

/**
 * Ends connections of clients to the server at `url`, as an administrator does by `pg_terminate_backend`: all of them, or
 * the share of them that chance gives. What they were doing is rolled back, unless it was committed.
 */
export async function cutConnections(url: string, share = 1): Promise<void> {
  await onServer(url, (client) =>
    client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < $1`,
      [share],
    ),
  );
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A server that is stopped meanwhile ends it: what was asked for tells that.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
