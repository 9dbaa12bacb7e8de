import { programsFolder, programOf, reachablePrograms, workFolder } from "./binaries.ts";
import { keepTemplate, makeCluster, user } from "./cluster.ts";
import { freshDatabase } from "./database.ts";
import { openKeeper } from "./keeper.ts";
import type { Keeper } from "./keeper.ts";
import { freePort } from "./port.ts";

export interface PostgresOptions {
  /**
   * Whether commits wait for the disk; default false. Killed and stopped servers lose nothing without it, since the
   * system keeps what was written. True is for measurements.
   */
  readonly fsync?: boolean;
  /** Settings of the server: `{ max_connections: "20" }`. They win over those that are made here. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL of one's own. It goes with the process that started it, however that ends. */
export interface TestPostgres extends AsyncDisposable {
  /** The database `postgres` as a superuser. The same after a restart. */
  readonly url: string;
  /** The process id of the server; undefined while it is stopped. */
  readonly pid: number | undefined;
  /**
   * Stops it and waits for its end. `fast` ends transactions and connections in order; `immediate` lets go of everything
   * where it stands, so that the next start recovers from the log.
   */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Starts it again on the same data and the same port, and waits until it takes connections. */
  start(): Promise<void>;
  /** Makes an empty database and gives its URL. */
  freshDatabase(): Promise<string>;
}

const signals = { fast: "SIGINT", immediate: "SIGQUIT" } as const;
const defaultSettings = { max_connections: "200" };
const portsMax = 20;

/**
 * Starts a PostgreSQL on a free port of this machine, with data of its own in the temp folder. Rejects with the reason
 * where none can be had.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  return (await startServer(options)).server;
}

/** As {@link startPostgres}; with `template`, others of this run can start theirs from what is then in the folder. */
export async function startServer(
  options: PostgresOptions,
  { template = false } = {},
): Promise<{ readonly server: TestPostgres; readonly folder: string }> {
  const folder = await workFolder();
  const keeper = openKeeper(folder);
  try {
    const native = await reachablePrograms(programsFolder(), folder);
    const cluster = await makeCluster(keeper, native, folder);
    if (template) await keepTemplate(folder);
    const launch = (port: number): Promise<number> =>
      keeper.start({
        command: programOf(native, "postgres"),
        args: ["-D", cluster.data, "-p", String(port), ...settingsOf(options, folder)],
        cwd: folder,
        ...user(),
      });
    const { port, pid } = await onFreePort(launch);
    return { server: handle({ keeper, launch: () => launch(port), pid, port, password: cluster.password }), folder };
  } catch (error) {
    await keeper.close();
    throw error;
  }
}

async function onFreePort(launch: (port: number) => Promise<number>): Promise<{ port: number; pid: number }> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    try {
      return { port, pid: await launch(port) };
    } catch (error) {
      // Another program took the port after it was looked at.
      if (tries < portsMax && String(error).includes("could not bind")) continue;
      throw error;
    }
  }
}

interface Running {
  readonly keeper: Keeper;
  readonly launch: () => Promise<number>;
  readonly pid: number;
  readonly port: number;
  readonly password: string;
}

function handle({ keeper, launch, pid: first, port, password }: Running): TestPostgres {
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  let pid: number | undefined = first;
  return {
    url,
    get pid() {
      return pid;
    },
    async stop(mode) {
      if (pid === undefined) throw new Error("The test server is stopped already");
      await keeper.stop(signals[mode]);
      pid = undefined;
    },
    async start() {
      if (pid !== undefined) throw new Error("The test server runs already");
      pid = await launch();
    },
    freshDatabase: () => freshDatabase(url),
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}

function settingsOf({ fsync = false, settings = {} }: PostgresOptions, folder: string): string[] {
  const all = {
    ...defaultSettings,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: process.platform === "win32" ? "" : folder,
    fsync: fsync ? "on" : "off",
    lc_messages: "C",
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
