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
  /** Changes that are not in `#now` yet: most runs that are loaded are never folded, and need no more. */
  #pending: (readonly [key: string, place: EntryPlace | undefined])[] = [];
  /** What each entry that changed since the last {@link freeze} was then. */
  #before: Map<string, EntryPlace | undefined> | undefined;
  #weight = 0;

  put(key: string, place: EntryPlace): void {
    this.#pending.push([key, place]);
  }

  delete(key: string): void {
    this.#pending.push([key, undefined]);
  }

  /** Bytes that all entries take: what a snapshot would weigh. The first look costs what was put since the last one. */
  get weight(): number {
    this.#settle();
    return this.#weight;
  }

  #settle(): void {
    for (const [key, place] of this.#pending) {
      const old = this.#now.get(key);
      if (this.#before !== undefined && !this.#before.has(key)) this.#before.set(key, old);
      this.#weight += (place?.weight ?? 0) - (old?.weight ?? 0);
      if (place === undefined) this.#now.delete(key);
      else this.#now.set(key, place);
    }
    this.#pending = [];
  }

  /** The places as they are now, whatever comes after; until they are released. One at a time. */
  freeze(): FrozenPlaces {
    this.#settle();
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
