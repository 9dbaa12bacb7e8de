import { checkRunId } from "../run-id.ts";
import type { Store } from "../store.ts";
import { unlessAborted } from "./abort.ts";
import type { OwnedRun, StoreAdapter, WithCatalog } from "./adapter.ts";
import { defineCatalog } from "./define-catalog.ts";
import { defineSession } from "./define-session.ts";
import { explained } from "./explain.ts";
import { doingWith } from "./store-errors.ts";

/**
 * Makes a store of what a medium can do. It keeps what every store has to keep alike: calls of a session go one after the
 * other, those after `close` are errors (STORE-2), revisions are compared and counted (STORE-3), an error out of a save ends
 * all further saves of that session (STORE-4), contents are checked against their digests (STORE-10), options are checked,
 * and what the medium throws becomes a PULSE_STORE error that says where and what helps.
 * The adapter's part is what only the medium can do: who owns a run, and an atomic save that a newer owner makes impossible.
 */
export function defineStore<const Adapter extends StoreAdapter>(adapter: Adapter): Store & WithCatalog<Adapter> {
  const store: Store = {
    async acquire(runId, options = {}) {
      checkRunId(runId);
      options.signal?.throwIfAborted();
      const doing = doingWith("acquiring", runId, adapter.medium);
      const owning = explained(adapter, doing, async () => await adapter.own(runId, options));
      return defineSession(adapter, runId, await ownedInTime(owning, options.signal));
    },
    ...(adapter.catalog === undefined ? {} : { catalog: defineCatalog(adapter, adapter.catalog) }),
    async close() {
      await adapter.close?.();
    },
  };
  // The catalogue is there when the adapter has one.
  return store as Store & WithCatalog<Adapter>;
}

/** An aborted acquire is waited for no longer. What it owns in the end is let go: nobody is there to do so. */
async function ownedInTime(owning: Promise<OwnedRun>, signal: AbortSignal | undefined): Promise<OwnedRun> {
  try {
    return await unlessAborted(owning, signal);
  } catch (error) {
    owning.then((late) => late.release({ clean: true })).catch(() => {});
    throw error;
  }
}
