import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import pg from "pg";
import { endsTurn, frame, frameReader, readyState } from "./frames.ts";
import type { Frame } from "./frames.ts";

/** A proxy that gives each transaction whichever server connection is free, as pgbouncer does in transaction mode. */
export interface PoolingProxy extends AsyncDisposable {
  /** The same database, by this way. */
  readonly url: string;
  /** How often a client was given another server connection than the time before. */
  readonly switches: number;
}

interface ServerConnection {
  readonly socket: Socket;
  user: Client | undefined;
}

interface Client {
  readonly socket: Socket;
  server: ServerConnection | undefined;
  last: ServerConnection | undefined;
  /** Round trips that the server has not answered. */
  turns: number;
  /** Sent while no server connection was free. */
  readonly waiting: Frame[];
}

/** The process id and the secret that clients are told: of no server process. */
const backendKey = Buffer.alloc(8, 1);

/** Opens a proxy with so many server connections. It knows nothing of prepared statements, as older pgbouncers did not. */
export async function openPoolingProxy(url: string, serverConnections: number): Promise<PoolingProxy> {
  const parameters: Buffer[] = [];
  const free: ServerConnection[] = [];
  const all: ServerConnection[] = [];
  const queue: Client[] = [];
  const clients = new Set<Client>();
  let switches = 0;

  for (let count = 0; count < serverConnections; count += 1) {
    const server: ServerConnection = { socket: await loggedIn(url, parameters), user: undefined };
    all.push(server);
    free.push(server);
    const read = frameReader("server");
    server.socket.on("error", () => undefined).on("close", () => server.user?.socket.destroy());
    server.socket.on("data", (chunk: Buffer) => {
      for (const answer of read(chunk)) {
        const { user } = server;
        user?.socket.write(answer.raw);
        const state = readyState(answer);
        if (state === undefined || user === undefined) continue;
        user.turns -= 1;
        if (state === "I" && user.turns === 0) release(user, server);
      }
    });
  }

  function release(client: Client, server: ServerConnection): void {
    client.server = undefined;
    server.user = undefined;
    const next = queue.shift();
    if (next === undefined) free.push(server);
    else give(next, server);
  }

  function give(client: Client, server: ServerConnection): void {
    if (client.last !== undefined && client.last !== server) switches += 1;
    client.last = server;
    client.server = server;
    server.user = client;
    for (const waiting of client.waiting.splice(0)) forward(client, server, waiting);
  }

  function forward(client: Client, server: ServerConnection, sent: Frame): void {
    if (endsTurn(sent)) client.turns += 1;
    server.socket.write(sent.raw);
  }

  const listener = createServer((socket) => {
    const client: Client = { socket, server: undefined, last: undefined, turns: 0, waiting: [] };
    clients.add(client);
    const read = frameReader("client");
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clients.delete(client);
      const at = queue.indexOf(client);
      if (at !== -1) queue.splice(at, 1);
      // A transaction is open in it, or an answer is on its way: nobody else may have this connection.
      if (client.server !== undefined) {
        all.splice(all.indexOf(client.server), 1);
        client.server.socket.destroy();
      }
    });
    socket.on("data", (chunk: Buffer) => {
      for (const sent of read(chunk)) {
        if (sent.type === "") welcome(socket, parameters);
        else if (sent.type === "X") socket.end();
        else if (client.server !== undefined) forward(client, client.server, sent);
        else {
          client.waiting.push(sent);
          // The oldest one first: the next client gets another than the last one had.
          const server = free.shift();
          if (server !== undefined) give(client, server);
          else if (!queue.includes(client)) queue.push(client);
        }
      }
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const own = new URL(url);
  own.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return {
    url: own.href,
    get switches() {
      return switches;
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of [...clients, ...all]) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
}

/** The socket of a connection that the driver has made: from here on it is ours. */
async function loggedIn(url: string, parameters: Buffer[]): Promise<Socket> {
  const client = new pg.Client({ connectionString: url });
  const told: Buffer[] = [];
  client.connection.on("parameterStatus", ({ parameterName, parameterValue }: Record<string, string>) =>
    told.push(frame("S", Buffer.from(`${parameterName}\0${parameterValue}\0`))),
  );
  await client.connect();
  parameters.splice(0, parameters.length, ...told);
  const { stream } = client.connection;
  stream.removeAllListeners("data").removeAllListeners("end").removeAllListeners("close").removeAllListeners("error");
  return stream as Socket;
}

/** Lets everybody in: the log-in is not what this is for. */
function welcome(socket: Socket, parameters: readonly Buffer[]): void {
  const authenticated = frame("R", Buffer.alloc(4));
  socket.write(Buffer.concat([authenticated, ...parameters, frame("K", backendKey), frame("Z", Buffer.from("I"))]));
}
