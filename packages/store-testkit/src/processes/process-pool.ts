import { startProcess } from "./start-process.ts";
import type { StoreProcess } from "./start-process.ts";

/** Processes that are ready for orders: one is always started ahead, as that takes longer than most of what is done. */
export interface ProcessPool extends AsyncDisposable {
  take(): Promise<StoreProcess>;
}

export function processPool(module: string, signal: AbortSignal): ProcessPool {
  const all = new Set<StoreProcess>();
  const begin = async (): Promise<StoreProcess> => {
    const started = await startProcess(module, signal);
    all.add(started);
    void started.ended.then(() => all.delete(started));
    await started.next("ready");
    return started;
  };
  const start = (): Promise<StoreProcess> => {
    const ready = begin();
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
      // The one that is being started is among them then, or has told why not.
      await spare.catch(() => {});
      await Promise.all([...all].map((each) => each.kill()));
    },
  };
}
