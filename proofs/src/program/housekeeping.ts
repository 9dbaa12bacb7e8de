import { graph, key, node, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import type { Store } from "@pulse-ts/durable";
import type { FileStore } from "@pulse-ts/filestore";

const big = key("big", type<string>("text"));

/** A run whose only value is kept apart from its record. */
const scratch = graph("scratch", {
  outputs: [big],
  nodes: [node("write", { provides: [big] }, () => ({ big: "scratch ".repeat(4_000) }))],
});

/**
 * What keeps a store small, done at the start of a process: runs are deleted, and contents that no record names any more
 * are collected, some at once, some after the run that was open meanwhile has been closed, and one is saved again in
 * between. Killed anywhere in here, the store must keep the run under test whole, contents included.
 */
export async function keepHouse(store: FileStore): Promise<void> {
  await comeAndGo(store);
  const held = await store.acquire("held");
  try {
    await store.collect({ windowMs: 0 });
    await comeAndGo(store);
    await store.collect({ windowMs: 0 });
  } finally {
    await held.close();
  }
  await store.collect({ windowMs: 0 });
}

/** Runs the scratch graph, or goes on with one that a kill has left, and deletes it. */
async function comeAndGo(store: FileStore): Promise<void> {
  // Closing what runs on it does not close the store.
  const open: Store = { acquire: (runId, options) => store.acquire(runId, options), catalog: store.catalog };
  await using pulse = durable({ store: open });
  await pulse.runOrResume(scratch, {}, { runId: "scratch", version: "1" });
  await store.catalog.delete("scratch");
}
