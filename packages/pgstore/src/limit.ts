/** How long a call may take, and what ends it sooner. */
export interface Limit {
  /** On the clock of `performance.now()`. */
  readonly until: number;
  readonly signal?: AbortSignal | undefined;
}

/** A limit that begins now. */
export const limitOf = (ms: number, signal?: AbortSignal): Limit => ({ until: performance.now() + ms, signal });

/** What {@link within} throws when the time is over. `sqlstate.ts` puts it in words. */
export class TimeIsOver extends Error {
  readonly code = "PG_TIMEOUT";
}

/**
 * The result, or the end of the limit if that comes first: the work itself goes on.
 * @throws TimeIsOver, or the signal's reason
 */
export async function within<Result>(work: Promise<Result>, { until, signal }: Limit): Promise<Result> {
  return await new Promise<Result>((resolve, reject) => {
    const abort = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(
      () => end(() => reject(new TimeIsOver("the time for this call is over"))),
      Math.max(0, Math.min(until - performance.now(), timerMsMax)),
    );
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    work.then(
      (result) => end(() => resolve(result)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/** A longer timer would fire at once. */
const timerMsMax = 2_147_483_647;
