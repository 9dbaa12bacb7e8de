import { history } from "../histories.ts";
import type { Requirement } from "../requirement.ts";

/** Random histories against a model (KIT-4). */
export const histories: readonly Requirement[] = [
  {
    id: "KIT-4.histories",
    rule: "KIT-4",
    title: "in random histories of saves, closes, reopenings and deletions, load equals the fold after each save",
    checkMs: 300_000,
    async check(bench) {
      const hasCatalog = (await bench.open()).catalog !== undefined && !declares(bench.subject.without, "STORE-7");
      await history(bench, { seed: bench.seed, steps: 250, hasCatalog });
    },
  },
];

const declares = (without: Readonly<Record<string, string>> = {}, rule: string): boolean =>
  Object.hasOwn(without, rule);
