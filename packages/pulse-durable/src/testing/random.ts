/** A seeded source of numbers, the same on every machine (mulberry32). */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error("there is nothing to pick");
      return items[below(items.length)] as Item;
    },
    chance: (probability) => next() < probability,
  };
}

/** How often, and from which seed on: `PULSE_SEED` repeats a run that failed. */
export function seedOf(environment: NodeJS.ProcessEnv, fallback: number): number {
  const given = Number(environment["PULSE_SEED"] ?? fallback);
  return Number.isSafeInteger(given) ? given : fallback;
}
