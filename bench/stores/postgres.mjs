// PostgreSQL as a medium: a server of the bench's own, whose commits wait for the disk, or the one that PULSE_PG_URL names.
import pg from "pg";
import { pgStore } from "@pulse-ts/pgstore";
import { freshDatabase, startPostgres } from "@pulse-ts/test-postgres";

const settings = { synchronous_commit: "on", max_wal_size: "8GB", checkpoint_timeout: "1h" };

export async function openPostgres() {
  const given = process.env.PULSE_PG_URL;
  const server = given === undefined ? await startPostgres({ fsync: true, settings }) : undefined;
  const address = await freshDatabase(given ?? server.url);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const ask = async (text) => Object.values((await client.query(text)).rows[0])[0];
  await client.query("CREATE TABLE raw (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, bytes bytea NOT NULL)");
  const version = (await ask("SHOW server_version")).split(" ")[0];
  const durability = `fsync ${await ask("SHOW fsync")}, synchronous_commit ${await ask("SHOW synchronous_commit")}`;
  await pgStore({ connectionString: address }).migrate();

  let statements = 0;
  /** Counts what is sent, on the pool's connections and on the one that holds the lock. */
  class CountingClient extends pg.Client {
    query(...words) {
      statements += 1;
      return super.query(...words);
    }
  }
  const openStore = async (more = {}) => {
    const pool = new pg.Pool({ connectionString: address, max: 10, Client: CountingClient, ...more });
    const store = pgStore({ pool });
    return {
      ...store,
      async close() {
        await store.close();
        await pool.end();
      },
    };
  };
  return {
    name: "PostgreSQL",
    about: `PostgreSQL ${version}, ${durability}, a pool of 10 on one host`,
    raw: "a raw INSERT of one row that commits",
    openStore: () => openStore(),
    /** The same database, and no commit waits for the disk: to fill it. */
    openFiller: () => openStore({ options: "-c synchronous_commit=off" }),
    async rawMs(count, bytes) {
      const values = [Buffer.alloc(bytes, "x")];
      const query = { name: "raw", text: "INSERT INTO raw (bytes) VALUES ($1)", values };
      const begin = performance.now();
      for (let at = 0; at < count; at++) await client.query(query);
      return (performance.now() - begin) / count;
    },
    async logBytes(work) {
      const before = await ask("SELECT pg_current_wal_insert_lsn()");
      await work();
      return Number(await ask(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '${before}')`));
    },
    /** What `work` sends and commits. `work` closes its store: a connection that ends tells the server what it has done. */
    async counts(work) {
      const committed = async () => {
        // What this very connection has done is told at its next look.
        await client.query("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
        return Number(await ask("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"));
      };
      const [sent, before] = [statements, await committed()];
      const looks = (await committed()) - before;
      const begun = await committed();
      await work();
      return { statements: statements - sent, transactions: (await committed()) - begun - looks };
    },
    async close() {
      await client.end();
      await server?.[Symbol.asyncDispose]();
    },
  };
}
