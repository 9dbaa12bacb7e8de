import { setTimeout } from "node:timers/promises";
import { isPulseError } from "@pulse-ts/core";
import type { Session, Store } from "@pulse-ts/durable";

/** Milliseconds between two attempts. */
const pauseMs = 5;

export interface AcquireSoonOptions {
  /** Milliseconds after which the run counts as never to be had. */
  readonly msMax: number;
  readonly signal?: AbortSignal;
}

/**
 * Acquires a run that may be busy for a while, because its owner was killed a moment ago. Gives the milliseconds that it
 * took. @throws an Error when it is still busy after `msMax`
 */
export async function acquireSoon(
  store: Store,
  runId: string,
  { msMax, signal }: AcquireSoonOptions,
): Promise<{ readonly session: Session; readonly ms: number }> {
  const start = performance.now();
  for (;;) {
    const session = await acquireOrBusy(store, runId);
    const ms = performance.now() - start;
    if (session !== undefined) return { session, ms };
    if (ms > msMax)
      throw new Error(`run "${runId}" is still PULSE_BUSY ${Math.round(ms)} ms after its owner was killed`);
    await setTimeout(pauseMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** `undefined` when somebody owns the run. */
export async function acquireOrBusy(store: Store, runId: string): Promise<Session | undefined> {
  try {
    return await store.acquire(runId);
  } catch (error) {
    if (isPulseError(error, "PULSE_BUSY")) return undefined;
    throw error;
  }
}
