import type { NodeContext } from "./node-context.ts";
import { interruption } from "./signals.ts";

/**
 * Waits until what `begin` starts is done; rejects with an interruption in the step in which the level is aborted
 * (CORE-38). `begin` gives what cancels it, and is done at the earliest after it has returned.
 */
export function waitAt(level: NodeContext, begin: (done: () => void) => () => void): Promise<void> {
  if (level.aborted) return Promise.reject(interruption(level.path, level.reason));
  return new Promise((resolve, reject) => {
    const cancel = begin(() => {
      stopListening();
      resolve();
    });
    const stopListening = level.onAbort((reason) => {
      stopListening();
      cancel();
      reject(interruption(level.path, reason));
    });
  });
}
