import { tokenise } from "../text/tokenise.ts";
import type { InvertedIndex } from "../values.ts";
import { rarityOf } from "./rank.ts";

/** A file that has every term of the query. */
export interface Hit {
  readonly path: string;
  readonly score: number;
}

/** The files that have all terms of the query, best first; none for a query without a term. */
export function search(index: InvertedIndex, query: string): Hit[] {
  const wanted = new Set(tokenise(query));
  const found = index.postings.filter(([term]) => wanted.has(term));
  if (wanted.size === 0 || found.length < wanted.size) return [];
  const scores = new Map<number, { matched: number; score: number }>();
  for (const [, postings] of found) {
    // A term of every file still finds them all, so it weighs a little.
    const rarity = rarityOf(postings.length, index.paths.length) + 0.01;
    for (const [file, times] of postings) {
      const sofar = scores.get(file) ?? { matched: 0, score: 0 };
      scores.set(file, { matched: sofar.matched + 1, score: sofar.score + (1 + Math.log(times)) * rarity });
    }
  }
  return [...scores]
    .filter(([, { matched }]) => matched === found.length)
    .toSorted(([leftFile, left], [rightFile, right]) => right.score - left.score || leftFile - rightFile)
    .map(([file, { score }]) => ({ path: index.paths[file] as string, score }));
}
