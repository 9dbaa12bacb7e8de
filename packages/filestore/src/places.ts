/** Where the files hold what an entry is now: in which epoch's journal, in the save of which revision. */
export interface EntryPlace {
  readonly epoch: number;
  readonly revision: number;
  /** Bytes that it takes in a line. */
  readonly weight: number;
}

/** Where the files hold each entry of one run. What a fold needs to tell an entry from its older versions. */
export class EntryPlaces {
  readonly #now = new Map<string, EntryPlace>();
  /** What each entry that changed since the last {@link freeze} was then. */
  #before: Map<string, EntryPlace | undefined> | undefined;
  #weight = 0;

  /** Bytes that all entries take: what a snapshot would weigh. */
  get weight(): number {
    return this.#weight;
  }

  put(key: string, place: EntryPlace): void {
    this.#replace(key, place.weight);
    this.#now.set(key, place);
  }

  delete(key: string): void {
    this.#replace(key, 0);
    this.#now.delete(key);
  }

  #replace(key: string, weight: number): void {
    const old = this.#now.get(key);
    this.#weight += weight - (old?.weight ?? 0);
    if (this.#before !== undefined && !this.#before.has(key)) this.#before.set(key, old);
  }

  /** The places as they are now, whatever comes after; until they are released. One at a time. */
  freeze(): FrozenPlaces {
    const before = (this.#before = new Map<string, EntryPlace | undefined>());
    const now = this.#now;
    return {
      size: now.size,
      get: (key) => (before.has(key) ? before.get(key) : now.get(key)),
      release: () => {
        if (this.#before === before) this.#before = undefined;
      },
    };
  }
}

/** The places at one moment. */
export interface FrozenPlaces {
  /** How many entries there were. */
  readonly size: number;
  get(key: string): EntryPlace | undefined;
  release(): void;
}
