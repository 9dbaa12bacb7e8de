/** A promise that a test settles itself. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

export function deferred<Value = void>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<Value>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Settles when everything that needs no timer and no outside event has settled. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Never settles: a body that ignores its signal. */
export const never = <Value = never>(): Promise<Value> => new Promise<Value>(() => {});

/** Rejects with the signal's reason when it is aborted: a body that listens. */
export const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as unknown);
    signal.addEventListener("abort", () => reject(signal.reason as unknown), { once: true });
  });

/** Whether a promise has settled, as seen after a turn. */
export async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => void (settled = true);
  promise.then(mark, mark);
  await turn();
  return settled;
}
