import { countProblem, refuse } from "../option-check.ts";
import type { NodeContext } from "../run/node-context.ts";
import { keepUntilDealtWith, Place } from "../run/place.ts";
import { Semaphore } from "../run/semaphore.ts";
import type { Aspect } from "./aspect.ts";
import { makeBuiltIn } from "./built-in.ts";

/**
 * Caps how many chains are inside it at once, among all nodes that share this one object (CORE-18), in every execution of
 * this process. First come, first served. A mount holds no place, nor does a chain that waits for its next try.
 */
export function limiter(places: number): Aspect {
  refuse("limiter", [countProblem("the number of places", places)]);
  const semaphore = new Semaphore(places);
  return makeBuiltIn("limiter", (level, _place, inner) => {
    if (level.node.mount !== undefined) return inner(level);
    const place = new Place(semaphore, false);
    level.places = [...(level.places ?? []), place];
    const run = (): Promise<unknown> | void => {
      try {
        const running = inner(level);
        if (running === undefined) place.release();
        else
          return running.then(
            () => place.release(),
            (error: unknown) => failed(level, place, error),
          );
      } catch (error) {
        failed(level, place, error);
      }
      return undefined;
    };
    return !level.aborted && place.tryAcquire() ? run() : place.acquire(level).then(run);
  });
}

function failed(level: NodeContext, place: Place, error: unknown): never {
  keepUntilDealtWith(level, place);
  throw error;
}
