import { realPlatform } from "../platform.ts";
import type { Platform } from "../platform.ts";
import { steps } from "../steps.ts";
import type { Operation } from "../steps.ts";

/** The real file system, and a way to hold still all that changes it: what is there then is what a killed process leaves. */
export interface StillPlatform {
  readonly platform: Platform;
  /** Settles when every change that had begun is done; none begins until `goOn` is called. */
  hold(): Promise<void>;
  goOn(): void;
}

export function stillPlatform(): StillPlatform {
  let held: PromiseWithResolver | undefined;
  let quiet: PromiseWithResolver | undefined;
  let running = 0;
  const around =
    <Given extends readonly unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await held?.promise;
      running += 1;
      try {
        return await change(...given);
      } finally {
        running -= 1;
        if (running === 0) quiet?.resolve();
      }
    };
  const operations = [...new Set<Operation>(Object.values(steps))];
  const changes = operations.map((name) => [
    name,
    around(realPlatform[name] as (...given: unknown[]) => Promise<unknown>),
  ]);
  return {
    // Each operation is wrapped in itself, so it takes and gives what it did.
    platform: { ...realPlatform, ...(Object.fromEntries(changes) as Pick<Platform, Operation>) },
    async hold() {
      held = resolvable();
      quiet = resolvable();
      if (running > 0) await quiet.promise;
    },
    goOn() {
      held?.resolve();
      held = undefined;
    },
  };
}

interface PromiseWithResolver {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function resolvable(): PromiseWithResolver {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
