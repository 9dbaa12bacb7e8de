import { graph, key, node, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import type { Catalog, Store } from "@pulse-ts/durable";
import type { OpenStore } from "@pulse-ts/store-testkit";

const big = key("big", type<string>("text"));

/** A run whose only value is kept apart from its record. */
const scratch = graph("scratch", {
  outputs: [big],
  nodes: [node("write", { provides: [big] }, () => ({ big: "scratch ".repeat(4_000) }))],
});

/** A store with all that keeps it small. */
export interface KeptStore extends Store {
  readonly catalog: Catalog;
  collect(options: { readonly windowMs: number }): Promise<unknown>;
}

/** Opens the store and keeps house in it before anything else is done. */
export function withHousekeeping(open: (...words: Parameters<OpenStore>) => KeptStore | Promise<KeptStore>): OpenStore {
  return async (place, at) => {
    const store = await open(place, at);
    await keepHouse(store);
    return store;
  };
}

/**
 * What keeps a store small, done at the start of a process: runs are deleted, and contents that no record names any more
 * are collected, some at once, some after the run that was open meanwhile has been closed, and one is saved again in
 * between. Killed anywhere in here, the store must keep the run under test whole, contents included.
 */
async function keepHouse(store: KeptStore): Promise<void> {
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
async function comeAndGo(store: KeptStore): Promise<void> {
  // Closing what runs on it does not close the store.
  const open: Store = { acquire: (runId, options) => store.acquire(runId, options), catalog: store.catalog };
  await using pulse = durable({ store: open });
  await pulse.runOrResume(scratch, {}, { runId: "scratch", version: "1" });
  await store.catalog.delete("scratch");
}
