import { startProcess } from "./start-process.ts";
import type { StoreProcess } from "./start-process.ts";

/** Processes that are ready for orders: one is always started ahead, as that takes longer than most of what is done. */
export interface ProcessPool extends AsyncDisposable {
  take(): Promise<StoreProcess>;
}

export function processPool(module: string, signal: AbortSignal): ProcessPool {
  const all = new Set<StoreProcess>();
  const start = (): Promise<StoreProcess> => {
    const started = startProcess(module, signal);
    all.add(started);
    void started.ended.then(() => all.delete(started));
    const ready = started.next("ready").then(() => started);
    // Told to who takes it.
    ready.catch(() => {});
    return ready;
  };
  let spare = start();
  return {
    async take() {
      signal.throwIfAborted();
      const taken = spare;
      spare = start();
      return await taken;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...all].map((each) => each.kill()));
    },
  };
}
