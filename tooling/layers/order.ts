/**
 * Who may import whom (docs/contract/00-overview.md): a package may import those of a lower rank.
 * Packages of one rank import none of each other; only the tests of a store may use the kit.
 */
const ranks: Readonly<Record<string, number>> = {
  "@pulse-ts/core": 0,
  "@pulse-ts/codec": 1,
  "@pulse-ts/durable": 2,
  "@pulse-ts/filestore": 3,
  "@pulse-ts/sqlite-store": 3,
  "@pulse-ts/pgstore": 3,
  "@pulse-ts/store-testkit": 3,
  "@pulse-ts/test-postgres": 0,
};

const scope = "@pulse-ts/";
const storeRank = 3;
const testkit = "@pulse-ts/store-testkit";

/** The package that must stay free of every dependency (CORE-39). */
export const freePackage = "@pulse-ts/core";

/** True for names of this repository's packages. */
export function isOwn(name: string): boolean {
  return name.startsWith(scope);
}

/** The package's name in a specifier: `@pulse-ts/core/errors` -> `@pulse-ts/core`, `zod/v4` -> `zod`. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Why `from` may not use `to`, or undefined if it may. */
export function refusal(from: string, to: string, inTest: boolean): string | undefined {
  const fromRank = ranks[from];
  const toRank = ranks[to];
  if (fromRank === undefined) return `${from} has no place in tooling/layers/order.ts`;
  if (toRank === undefined) return `${to} is no package that others may use`;
  if (inTest && to === testkit && fromRank === storeRank) return undefined;
  if (toRank < fromRank) return undefined;
  return `${from} may not use ${to}: dependencies point from stores to durable to codec to core only`;
}
