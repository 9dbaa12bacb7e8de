import type { NodeContext } from "./node-context.ts";
import type { Semaphore } from "./semaphore.ts";
import { waitAt } from "./wait.ts";

/** One place of a semaphore in the hands of a chain. Made for a place that is held. */
export class Place {
  private readonly semaphore: Semaphore;
  private held: boolean;

  constructor(semaphore: Semaphore, held = true) {
    this.semaphore = semaphore;
    this.held = held;
  }

  release(): void {
    if (!this.held) return;
    this.held = false;
    this.semaphore.release();
  }

  /** Takes a place now, or says that one must wait for it. */
  tryAcquire(): boolean {
    this.held ||= this.semaphore.tryAcquire();
    return this.held;
  }

  /** Waits for a place; rejects with an interruption in the step in which the level is aborted (CORE-38). */
  acquire(level: NodeContext): Promise<void> {
    if (!level.aborted && this.tryAcquire()) return Promise.resolve();
    return waitAt(level, (done) =>
      this.semaphore.wait(() => {
        this.held = true;
        done();
        return true;
      }),
    );
  }
}

/** Lets go of every place a chain holds while it waits for something else; the result takes them again (CORE-18). */
export function letGo(level: NodeContext): (() => Promise<void>) | undefined {
  const { places } = level;
  if (places === undefined || places.length === 0) return undefined;
  for (const place of places) place.release();
  return async () => {
    for (const place of places) await place.acquire(level);
  };
}

/** Gives back every place of a chain that ends. */
export function releasePlaces(root: NodeContext): void {
  if (root.places !== undefined) for (const place of root.places) place.release();
  releaseFailed(root);
}

/** Gives back the places that failed parts of a chain still hold: a retry took the failure on, or the chain has ended. */
export function releaseFailed(level: NodeContext): void {
  const root = level.root;
  if (root.failedPlaces !== undefined) for (const place of root.failedPlaces) place.release();
  root.failedPlaces = undefined;
}

/**
 * Leaves the place of a part that failed with its chain until the failure is dealt with: handed on at once, it would start
 * another body before the failure could stop it (CORE-37).
 */
export function keepUntilDealtWith(level: NodeContext, place: Place): void {
  const root = level.root;
  if (root.closed) place.release();
  else (root.failedPlaces ??= []).push(place);
}
