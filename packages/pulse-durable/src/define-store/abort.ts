/**
 * The result, or the signal's reason if that comes first: the work itself goes on. Stands around every save, so it makes
 * no controller of its own: an abort that nobody asked for costs more than the rest of a save's way through this package.
 */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return await work;
  return await new Promise<Result>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    const ignore = (): void => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, once);
    work.then(
      (result) => {
        ignore();
        resolve(result);
      },
      (error: unknown) => {
        ignore();
        reject(error);
      },
    );
  });
}

const once = { once: true } as const;
