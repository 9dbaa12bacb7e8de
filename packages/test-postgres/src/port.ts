import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the range from which systems take the ports of outgoing connections: a client that tries to reach a stopped
 * server on such a port may be connected to itself.
 */
const [lowest, highest] = [15_000, 32_000];
const triesMax = 100;

/** A port on which nothing listens now. Something may before the caller does. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error(`there is no free port: ${triesMax} between ${lowest} and ${highest} were tried`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}
