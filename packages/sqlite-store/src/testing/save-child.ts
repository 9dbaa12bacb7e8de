import { isPulseError } from "@pulse-ts/core";
import { openSqliteStore } from "../open.ts";
import { sample, saveUpTo } from "./sample-run.ts";

/**
 * Owns the run "order" of a file, loads it, and saves it on until it is told to stop, killed, or refused; it tells each
 * save that was acknowledged.
 */
const store = openSqliteStore({ file: process.argv[2] ?? "" }, {});
const run = sample("order", { nodesMax: 50 });
try {
  const session = await store.acquire("order");
  let revision = await session.load().then(
    ({ header }) => header.revision,
    (error: unknown) => {
      if (isPulseError(error, "PULSE_NOT_FOUND")) return 0;
      throw error;
    },
  );
  process.send?.({ acquired: revision });
  const until = Number(process.argv[3] ?? Infinity);
  for (; revision < until; revision += 1) {
    await saveUpTo(session, run, revision, revision + 1);
    process.send?.({ saved: revision + 1 });
  }
  await session.close();
  process.send?.("closed");
} catch (error) {
  const { code, message, details } = error as { code?: string; message?: string; details?: { systemCode?: string } };
  process.send?.({ failed: code, message, systemCode: details?.systemCode });
}
