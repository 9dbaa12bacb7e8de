import { seededRandom } from "@pulse-ts/store-testkit";

/** Choices out of one seed. */
export interface Random {
  /** A whole number from `from` to `to`, both included. */
  readonly between: (from: number, to: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
}

export function randomOf(seed: number): Random {
  const next = seededRandom(seed);
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    between,
    chance: (probability) => next() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
  };
}
