// A process with a store of its own: it owns a run as it is told, and reports what came of it.
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { pgStore } from "../index.ts";
import type { PgStoreOptions } from "../index.ts";
import { sampleRun, saveSteps } from "./sample-run.ts";
import type { FromChild, ToChild } from "./spawn-owner.ts";

// Written by `spawnOwner`.
const store = pgStore(JSON.parse(process.argv[2] ?? "") as PgStoreOptions);
const sessions = new Map<string, Session>();

const tell = (message: FromChild): void => void process.send?.(message);

async function follow(order: ToChild): Promise<void> {
  if (order.kind === "migrate") return void (await store.migrate());
  const run = sampleRun(order.runId);
  if (order.kind === "acquire") return void sessions.set(order.runId, await store.acquire(order.runId));
  const session = sessions.get(order.runId);
  if (session === undefined) throw new Error(`run ${order.runId} was not acquired`);
  await saveSteps(session, run, order.from, order.to);
}

process.on("message", (order: ToChild) => {
  follow(order).then(
    () => tell({ kind: "done" }),
    (error: unknown) =>
      tell({ kind: "failed", code: isPulseError(error) ? error.code : "", message: String((error as Error).stack) }),
  );
});
process.on("disconnect", () => process.exit());
tell({ kind: "done" });
