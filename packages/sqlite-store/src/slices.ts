import { setImmediate } from "node:timers/promises";

/** Milliseconds of work after which a long look at the database lets the event loop go on. */
const sliceMs = 10;

/** Call it between two pieces of long work: it waits for a turn of the event loop when one is due. */
export function slices(signal: AbortSignal | undefined): () => Promise<void> {
  let until = performance.now() + sliceMs;
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() < until) return;
    await setImmediate();
    until = performance.now() + sliceMs;
  };
}
