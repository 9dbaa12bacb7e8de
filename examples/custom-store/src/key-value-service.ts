import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * A key-value service as many are: a value has a version, and a write may say which version it replaces. It stands for
 * the service that you have (etcd, Consul, DynamoDB, objects in a cloud), knows nothing of Pulse, and keeps its values in
 * its memory alone.
 *
 * ```text
 * GET    /?key=K                         200 the value, with `etag` its version and `age-ms` how long ago it was written; 404
 * PUT    /?key=K  if-match: V            200 the new version in `etag`; 412 when the value has another version or is not there
 * PUT    /?key=K  if-none-match: *       the same; 412 when there is a value
 * DELETE /?key=K  [if-match: V]          204; 412 when the value has another version; one that is not there is no matter
 * GET    /?prefix=P&after=A&limit=N      200 a JSON array of keys, ascending by UTF-16 units
 * ```
 */
export interface KeyValueService {
  readonly url: string;
  close(): Promise<void>;
}

interface Kept {
  readonly value: Buffer;
  readonly version: string;
  /** Milliseconds of this service's own clock: no other clock says how old a value is. */
  readonly written: number;
}

/** Starts one on a free port of this host. It keeps no process alive. */
export async function startKeyValueService(): Promise<KeyValueService> {
  const values = new Map<string, Kept>();
  let versions = 0;

  /** Compares and writes in one step: nothing is awaited in between. */
  const write = (key: string, value: Buffer, { headers }: IncomingMessage): string | undefined => {
    const found = values.get(key)?.version;
    const wanted = headers["if-none-match"] === "*" ? found === undefined : found === headers["if-match"];
    if (!wanted) return undefined;
    // Never given twice, so a value that was removed and written again has another version.
    const version = `"${++versions}"`;
    values.set(key, { value, version, written: performance.now() });
    return version;
  };
  const remove = (key: string, { headers }: IncomingMessage): boolean => {
    const found = values.get(key);
    if (found === undefined) return true;
    const expected = headers["if-match"];
    return (expected === undefined || expected === found.version) && values.delete(key);
  };
  const keys = (prefix: string, after: string, limit: number): readonly string[] =>
    [...values.keys()]
      .filter((key) => key.startsWith(prefix) && key > after)
      .toSorted()
      .slice(0, limit);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { searchParams: asked } = new URL(request.url ?? "/", "http://service");
    const key = asked.get("key");
    if (key === null) {
      const found = keys(asked.get("prefix") ?? "", asked.get("after") ?? "", Number(asked.get("limit") ?? 1000));
      response.end(JSON.stringify(found));
    } else if (request.method === "PUT") {
      const version = write(key, await buffer(request), request);
      response.writeHead(version === undefined ? 412 : 200, version === undefined ? {} : { etag: version }).end();
    } else if (request.method === "DELETE") {
      response.writeHead(remove(key, request) ? 204 : 412).end();
    } else {
      const found = values.get(key);
      if (found === undefined) response.writeHead(404).end();
      else
        response.writeHead(200, { etag: found.version, "age-ms": performance.now() - found.written }).end(found.value);
    }
  };

  // Keys are in the address: a run id may be long. It is the client that ends idle connections: a request that meets the
  // service's end of one would look as if the service were gone.
  const server = createServer({ maxHeaderSize: 1 << 20, keepAliveTimeout: 0 }, (request, response) => {
    // A request that broke off has written nothing.
    answer(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => socket.unref()).unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
