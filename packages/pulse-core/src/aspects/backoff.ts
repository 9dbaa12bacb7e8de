/** How the wait before the next try grows. A function gets the number of failed tries, from 1, and gives milliseconds. */
export type Backoff = "constant" | "exponential" | ((failed: number) => number);

/** Milliseconds to wait after `failed` tries. `jitter` takes up to that fraction off, at random. */
export function delayOf(
  failed: number,
  options: { readonly delay: number; readonly backoff: Backoff; readonly jitter: number },
  random: () => number,
): number {
  const { delay, backoff, jitter } = options;
  const base =
    typeof backoff === "function" ? backoff(failed) : backoff === "exponential" ? delay * 2 ** (failed - 1) : delay;
  return jitter === 0 ? base : base * (1 - jitter * random());
}
