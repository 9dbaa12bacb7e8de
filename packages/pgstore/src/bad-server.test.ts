import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { once } from "node:events";
import { inspect } from "node:util";
import { needsPostgres, startPostgres } from "@pulse-ts/test-postgres";
import type { TestPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { pgStore } from "./index.ts";
import type { PgStoreOptions } from "./index.ts";
import { openBench } from "./testing/bench.ts";

beforeEach(needsPostgres);

const secret = "their-secret-password";

/** Asks for passwords, which a developer's own server may not do. It goes with this process. */
let own: Promise<TestPostgres> | undefined;
const askingServer = async (): Promise<string> => (await (own ??= startPostgres())).url;

/** Everything that an error shows, causes and hidden fields included. */
const shown = (error: unknown): string =>
  inspect(error, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(error);

async function refusalOf(options: PgStoreOptions): Promise<unknown> {
  const store = pgStore({ acquireMs: 5_000, closeMs: 1_000, ...options });
  try {
    await store.acquire("run");
  } catch (error) {
    return error;
  } finally {
    await store.close();
  }
  throw new Error("the run was acquired");
}

const changed = (url: string, change: (url: URL) => void): string => {
  const other = new URL(url);
  change(other);
  return other.href;
};

interface BadAddress {
  readonly title: string;
  readonly change: (url: URL) => void;
  readonly words: string;
  readonly code: string;
}

const badAddresses: readonly BadAddress[] = [
  {
    title: "a wrong password",
    change: (url) => (url.password = secret),
    words: "the password is wrong; give the right one",
    code: "28P01",
  },
  {
    title: "no password",
    change: (url) => (url.password = ""),
    words: "the log-in failed; give the right user and password",
    code: "PG_LOGIN",
  },
  {
    title: "a user that is not there",
    change: (url) => (url.username = "nobody_at_all"),
    words: "the password is wrong; give the right one",
    code: "28P01",
  },
  {
    title: "a database that is not there",
    change: (url) => (url.pathname = "/nothing"),
    words: "there is no such database; create it or give another name",
    code: "3D000",
  },
  {
    title: "a port on which nothing listens",
    change: (url) => ((url.port = "1"), (url.password = secret)),
    words: "nothing listens at this address; start the server or correct host and port",
    code: "ECONNREFUSED",
  },
  {
    title: "a host that has no address",
    change: (url) => ((url.hostname = "nowhere.invalid"), (url.password = secret)),
    words: "",
    code: "E",
  },
  {
    title: "a server that takes no secured connections",
    change: (url) => url.searchParams.set("sslmode", "verify-full"),
    words: "the server does not take secured connections; leave out the option tls",
    code: "PG_NO_TLS",
  },
];

describe("an address that does not lead to a database", () => {
  test.each(badAddresses.map((bad) => [bad.title, bad] as const))("%s is told as such", async (_title, bad) => {
    await using bench = await openBench(await askingServer());
    const connectionString = changed(bench.url, bad.change);
    const error = await refusalOf({ connectionString });
    expect(error).toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringMatching(/^acquiring run "run": .*; at postgres:\/\//),
      details: { runId: "run", next: "mend-store", systemCode: expect.stringMatching(new RegExp(`^${bad.code}`)) },
    });
    expect((error as Error).message).toContain(bad.words);
    const { password } = new URL(connectionString);
    if (password !== "") expect(shown(error)).not.toContain(password);
  });

  test.each([
    ["another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["nothing at all", ""],
  ])("what listens there answers with %s: an error within the time limit", async (_title, answer) => {
    await using other = await listen(answer);
    const connectionString = `postgres://user:${secret}@127.0.0.1:${other.port}/database`;
    const error = await refusalOf({ connectionString, acquireMs: 1_000 });
    expect(error).toMatchObject({ code: "PULSE_STORE", message: expect.stringContaining(`at postgres://127.0.0.1:`) });
    expect(shown(error)).not.toContain(secret);
  });

  test.each([
    "http://user:their-secret-password@host/x",
    "their-secret-password",
    "postgres://:::their-secret-password@",
  ])("an address that cannot be read is refused without being repeated (%#)", (connectionString) => {
    let error: unknown;
    try {
      void pgStore({ connectionString }).close();
    } catch (thrown) {
      error = thrown;
    }
    if (error !== undefined) expect(error).toMatchObject({ code: "PULSE_INVALID" });
    expect(shown(error)).not.toContain(secret);
  });
});

test("a password is in no error and no notice of a server that goes away", async () => {
  await using bench = await openBench(await askingServer());
  const { password } = new URL(bench.url);
  const told: unknown[] = [];
  const store = bench.open({ acquireMs: 1_000, statementMs: 1_000, onNotice: (notice) => told.push(notice) });
  const session = await store.acquire("run");
  bench.link.refuse();
  const { catalog } = store;
  const calls = [() => session.load(), () => store.acquire("other"), () => catalog.list(), () => catalog.read("run")];
  for (const call of calls) told.push(await call().catch((error: unknown) => error));
  bench.link.restore();
  expect(told.length).toBeGreaterThan(4);
  for (const one of told) expect(shown(one)).not.toContain(password);
  expect(shown(store)).not.toContain(password);
  expect(shown(session)).not.toContain(password);
});

/** Something that listens and is no PostgreSQL: it gives each connection this answer, and lets it stand. */
async function listen(answer: string): Promise<AsyncDisposable & { readonly port: number }> {
  const server: Server = createServer((socket) => {
    socket.on("error", () => undefined).write(answer);
    open.add(socket);
  });
  const open = new Set<{ destroy(): unknown }>();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
