/** Takes a free place, or says no: then the next waiter gets it. */
type Waiter = () => boolean;

/** Places that bodies hold while they run (CORE-18). First come, first served. */
export class Semaphore {
  private free: number;
  private readonly waiters = new Set<Waiter>();

  constructor(places: number) {
    this.free = places;
  }

  tryAcquire(): boolean {
    if (this.free === 0) return false;
    this.free--;
    return true;
  }

  /** Calls `waiter` with a place when it is its turn; returns what takes it out of the queue. */
  wait(waiter: Waiter): () => void {
    this.waiters.add(waiter);
    return () => this.waiters.delete(waiter);
  }

  /** Hands the place on in the same step, so that no cancelled waiter can lose it (G4). */
  release(): void {
    for (const waiter of this.waiters) {
      this.waiters.delete(waiter);
      if (waiter()) return;
    }
    this.free++;
  }
}
