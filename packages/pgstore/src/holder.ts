import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import type { Row } from "./database.ts";
import { limitOf, within } from "./limit.ts";
import type { Notify } from "./notice.ts";
import { isServerError, sqlstate } from "./sqlstate.ts";
import type { AtMoment, Step } from "./steps.ts";

/**
 * The one connection of this store that is never given back: it holds an advisory lock with a random key, and the key
 * stands in the row of each owned run (PG-3). The lock goes with the connection, so whoever finds it free knows that
 * this process is gone, or cut off.
 */
export interface Holder {
  /**
   * The key of the lock that is held now, connecting first if need be; `null` when there is none to be had: then the lease
   * alone tells whether an owner lives (PG-6). Never rejects.
   */
  key(): Promise<string | null>;
  /** The key that is held at this moment. */
  current(): string | null;
  /**
   * Sends a statement on the holder connection, past all that wait for the pool; `undefined` when there is none. A
   * connection that does not answer in time counts as lost.
   */
  send(step: Step, text: string, values: readonly unknown[], limitMs: number): Promise<readonly Row[]> | undefined;
  close(): Promise<void>;
}

export interface HolderParts {
  /** A new connection, not of the pool. */
  readonly newClient: () => Client;
  readonly connectMs: number;
  readonly at: AtMoment | undefined;
  readonly notify: Notify;
  /** Enters the key in the rows of all runs that this store owns. */
  readonly register: () => Promise<void>;
  /** Whether a lost connection is to be made anew at once. */
  readonly isNeeded: () => boolean;
  /** A proxy stands between. */
  readonly onProxy: () => void;
}

export function holderConnection(parts: HolderParts): Holder {
  let held: { readonly key: string; readonly client: Client } | undefined;
  let coming: Promise<string | null> | undefined;
  let closed = false;
  /** A proxy stands between: no lock would be kept. */
  let never = false;
  let pauseMs = pauseMsFirst;
  /** Until when no call waits for another attempt. */
  let notBefore = 0;
  let retry: NodeJS.Timeout | undefined;

  const connect = async (): Promise<string | null> => {
    const client = parts.newClient();
    let broken = false;
    const lose = (): void => {
      broken = true;
      if (held?.client !== client) return;
      held = undefined;
      parts.notify("holder-lost", "the connection that shows that this process lives was lost; it is made anew");
      again();
    };
    client.on("error", lose);
    client.on("end", lose);
    try {
      const limit = limitOf(parts.connectMs);
      await parts.at?.("before", "holder-connect");
      await within(client.connect(), limit);
      await parts.at?.("after", "holder-connect");
      await parts.at?.("before", "holder-lock");
      const key = randomBytes(8).readBigInt64BE(0).toString();
      // A proxy answers with a process id of its own.
      const pid = await within(client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid"), limit);
      if (pid.rows[0]?.pid !== processIdOf(client)) {
        never = true;
        parts.onProxy();
        parts.notify(
          "lease-only",
          "a proxy stands between this process and the server, so no lock can show that it lives: after a crash its runs are free when their leases run out; give the option holderConnection a way past the proxy",
        );
        await end(client);
        return null;
      }
      const text = "SELECT pg_try_advisory_lock($1::bigint) AS locked";
      const locked = await within(client.query<{ locked: boolean }>(text, [key]), limit);
      if (locked.rows[0]?.locked !== true) throw new Error("a random key was locked already");
      await parts.at?.("after", "holder-lock");
      if (broken || closed) throw new Error("Connection terminated");
      held = { key, client };
      pauseMs = pauseMsFirst;
      // It alone keeps no process running.
      (client as { unref?(): void }).unref?.();
      return key;
    } catch (error) {
      await end(client);
      if (closed) return null;
      const code = sqlstate(error) ?? (error as { readonly code?: unknown }).code;
      const why = typeof code === "string" ? ` (${code})` : "";
      notBefore = performance.now() + pauseMs;
      parts.notify(
        "lease-only",
        `the connection that shows that this process lives could not be made${why}: until it is, runs of a crashed process are free when their leases run out`,
      );
      again();
      pauseMs = Math.min(pauseMs * 2, pauseMsMax);
      return null;
    }
  };
  const ask = async (
    client: Client,
    step: Step,
    text: string,
    values: readonly unknown[],
    limitMs: number,
  ): Promise<readonly Row[]> => {
    try {
      await parts.at?.("before", step);
      const { rows } = await within(client.query<Row>(text, [...values]), limitOf(limitMs));
      await parts.at?.("after", step);
      return rows;
    } catch (error) {
      // No answer, or no connection: others may take this process for dead, so it gets another lock.
      if (!isServerError(error)) client.connection.stream.destroy();
      throw error;
    }
  };
  const once = async (): Promise<string | null> => {
    coming ??= connect().finally(() => {
      coming = undefined;
    });
    return await coming;
  };
  const again = (): void => {
    if (closed || never || retry !== undefined || !parts.isNeeded()) return;
    retry = setTimeout(() => {
      retry = undefined;
      void once()
        .then(async (key) => {
          if (key === null) return;
          await parts.register();
          parts.notify("holder-back", "the connection that shows that this process lives is there again");
        })
        .catch(() => undefined);
    }, pauseMs);
    retry.unref();
  };
  return {
    async key() {
      if (held !== undefined) return held.key;
      const waits = closed || never || retry !== undefined || performance.now() < notBefore;
      return waits ? null : await once();
    },
    current: () => held?.key ?? null,
    send(step, text, values, limitMs) {
      return held === undefined ? undefined : ask(held.client, step, text, values, limitMs);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await coming;
      const last = held;
      held = undefined;
      if (last !== undefined) await end(last.client);
    },
  };
}

/** No holder connection, by the host's wish. */
export const noHolder: Holder = {
  key: async () => null,
  current: () => null,
  send: () => undefined,
  close: async () => undefined,
};

const pauseMsFirst = 20;
const pauseMsMax = 10_000;

/** As the server told it when the connection was made; the types do not show it. */
const processIdOf = (client: Client): unknown => (client as { readonly processID?: unknown }).processID;

async function end(client: Client): Promise<void> {
  await within(client.end(), limitOf(endMs)).catch(() => client.connection.stream.destroy());
}

const endMs = 2_000;
