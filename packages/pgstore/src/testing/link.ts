import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { boundStatement, endsTurn, frame, frameReader, readyState, statementOf } from "./frames.ts";
import type { Frame } from "./frames.ts";

/**
 * When a connection is cut: `before` the server gets the statement; when it was `sent` to the server, which may come to its
 * end or not; when the server has `answered`, and the client does not get the answer; `after` the client got it.
 */
export type CutMoment = "before" | "sent" | "answered" | "after";

export const cutMoments: readonly CutMoment[] = ["before", "sent", "answered", "after"];

/** A way to a server that can be cut, blocked and closed. */
export interface Link extends AsyncDisposable {
  /** The same database, by this way. */
  readonly url: string;
  /** How many connections there are. */
  readonly connections: number;
  /** The statements that were sent to the server since the link was made, in that order. */
  readonly statements: readonly string[];
  /** Cuts the next connection that sends such a statement. Resolves when that has happened. */
  cutAt(moment: CutMoment, statement: RegExp): Promise<void>;
  /** Cuts all connections. */
  cutAll(): void;
  /**
   * From now on the server says, in the packet in which it lets a client in, that an administrator ends the connection, and
   * ends it. Until `restore`.
   */
  sendAway(): void;
  /** From now on all that a client sends comes so many milliseconds late. */
  delay(ms: number): void;
  /** From now on nothing comes through, and nobody is told: as when a cable is pulled. Until `restore`. */
  blackHole(): void;
  /** From now on connections are cut and refused. Until `restore`. */
  refuse(): void;
  /** All comes through, what was held back too. */
  restore(): void;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** When it is to be cut, and who waits for that. */
  moment?: CutMoment;
  done?: () => void;
}

interface Trap {
  readonly moment: CutMoment;
  readonly statement: RegExp;
  readonly done: () => void;
}

/** What the server says to whom `pg_terminate_backend` ends. */
const farewell = frame(
  "E",
  Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"),
);

/** Opens a way to the server of `url`. */
export async function openLink(url: string): Promise<Link> {
  const target = new URL(url);
  const statements: string[] = [];
  const traps = new Set<Trap>();
  const pairs = new Set<Pair>();
  let refuses = false;
  let sendsAway = false;
  let delayMs = 0;
  /** Pending while nothing comes through. */
  let passable = Promise.resolve();
  let endHole: (() => void) | undefined;

  const cut = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    // What was written to the server still gets there.
    pair.server.end();
    pair.done?.();
  };
  /** Works on what a socket gives, in its order, and never while nothing comes through. */
  const pump = (pair: Pair, from: Socket, work: (chunk: Buffer) => void, ended: () => void): void => {
    let turn = Promise.resolve();
    const next = (action: () => void): void => {
      turn = turn.then(async () => {
        if (delayMs > 0 && from === pair.client) await new Promise((late) => setTimeout(late, delayMs));
        await passable;
        if (pairs.has(pair)) action();
      });
    };
    from.on("data", (chunk: Buffer) => next(() => work(chunk))).on("close", () => next(ended));
    from.on("error", () => undefined).setNoDelay(true);
  };
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    if (refuses) return void client.destroy();
    const server = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    const pair: Pair = { client, server };
    pairs.add(pair);
    pump(pair, client, toServer(pair), () => cut(pair));
    pump(pair, server, toClient(pair), () => (client.end(), cut(pair)));
    for (const socket of [client, server]) socket.on("end", () => socket.end());
  });

  function toServer(pair: Pair): (chunk: Buffer) => void {
    const read = frameReader("client");
    const prepared = new Map<string, string>();
    let text = "";
    const forward = (frame: Frame): void => {
      const given = statementOf(frame);
      const bound = boundStatement(frame);
      if (given !== undefined) prepared.set(given.name, given.text);
      if (given !== undefined || bound !== undefined)
        spring(pair, (text = given?.text ?? prepared.get(bound ?? "") ?? ""));
      if (pair.moment === "before") return cut(pair);
      pair.server.write(frame.raw);
      if (!endsTurn(frame)) return undefined;
      statements.push(text);
      return pair.moment === "sent" ? cut(pair) : undefined;
    };
    return (chunk) => {
      for (const each of read(chunk)) if (pairs.has(pair)) forward(each);
    };
  }

  function spring(pair: Pair, text: string): void {
    const trap = [...traps].find(({ statement }) => statement.test(text));
    if (trap === undefined || pair.moment !== undefined) return;
    traps.delete(trap);
    pair.moment = trap.moment;
    pair.done = trap.done;
  }

  function toClient(pair: Pair): (chunk: Buffer) => void {
    const read = frameReader("server");
    return (chunk) => {
      if (sendsAway && read(chunk).some((frame) => readyState(frame) !== undefined))
        return void pair.client.end(Buffer.concat([chunk, farewell]), () => cut(pair));
      if (pair.moment !== "answered") pair.client.write(chunk);
      if (pair.moment === undefined || !read(chunk).some((frame) => readyState(frame) !== undefined)) return;
      if (pair.moment === "answered") return cut(pair);
      // The answer arrives before the end of the connection does.
      pair.client.end(() => cut(pair));
    };
  }

  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const own = new URL(url);
  own.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const cutAll = (): void => {
    for (const pair of pairs) cut(pair);
  };
  return {
    url: own.href,
    get connections() {
      return pairs.size;
    },
    statements,
    cutAt: async (moment, statement) => await new Promise<void>((done) => traps.add({ moment, statement, done })),
    cutAll,
    sendAway() {
      sendsAway = true;
    },
    delay(ms) {
      delayMs = ms;
    },
    blackHole() {
      if (endHole !== undefined) return;
      passable = new Promise((end) => {
        endHole = end;
      });
    },
    refuse() {
      refuses = true;
      cutAll();
    },
    restore() {
      refuses = false;
      sendsAway = false;
      endHole?.();
      endHole = undefined;
    },
    async [Symbol.asyncDispose]() {
      refuses = true;
      cutAll();
      listener.close();
      await once(listener, "close");
    },
  };
}
