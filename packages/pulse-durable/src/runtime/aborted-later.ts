import type { Host } from "@pulse-ts/core";

/** A signal that follows another one. */
export interface LaterSignal {
  readonly signal: AbortSignal;
  /** It follows no more, and no timer is left. */
  forget(): void;
}

/** Aborted with the same reason `delayMs` milliseconds after `signal` is: what it ends had that long to settle by itself. */
export function abortedLater(signal: AbortSignal | undefined, delayMs: number, host: Host): LaterSignal {
  const later = new AbortController();
  let timer: unknown;
  const count = (): void => {
    timer = host.setTimer(() => later.abort(signal?.reason), delayMs);
  };
  if (signal?.aborted === true) count();
  else signal?.addEventListener("abort", count, { once: true });
  return {
    signal: later.signal,
    forget() {
      signal?.removeEventListener("abort", count);
      if (timer !== undefined) host.clearTimer(timer);
    },
  };
}
