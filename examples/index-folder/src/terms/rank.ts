import { byCodeUnits } from "../text/order.ts";
import { functionWords } from "./function-words.ts";
import type { InvertedIndex, RankedTerm, Ranking } from "../values.ts";

/** How many terms of the whole folder the report shows. */
export const folderTermsMax = 40;
/** How many terms of each file the report shows. */
export const fileTermsMax = 6;

/**
 * Ranks by tf-idf: a term counts the more the oftener it is said, and the fewer files say it. A term of every file says
 * nothing about any. Function words, single letters, bare numbers and digests are found by searching but never
 * ranked.
 */
export function rank(index: InvertedIndex): Ranking {
  const terms: RankedTerm[] = [];
  const byFile = index.paths.map((): { term: string; score: number; count: number }[] => []);
  for (const [term, postings] of index.postings) {
    if (!isTelling(term)) continue;
    const rarity = rarityOf(postings.length, index.paths.length);
    let count = 0;
    for (const [file, times] of postings) {
      count += times;
      byFile[file]?.push({ term, score: rounded(times * rarity), count: times });
    }
    terms.push({ term, score: rounded(count * rarity), files: postings.length, count });
  }
  return {
    terms: best(terms, folderTermsMax),
    byFile: byFile.map((ranked) => best(ranked, fileTermsMax)),
  };
}

/** 0 for a term of every file. A folder of one file has nothing to compare with: there all terms are equally rare. */
export function rarityOf(files: number, of: number): number {
  return of <= 1 ? 1 : Math.log(of / files);
}

const isTelling = (term: string): boolean =>
  [...term].length > 1 && !/^\p{N}+$/u.test(term) && !/^[0-9a-f]{12,}$/u.test(term) && !functionWords.has(term);

/** Four decimals: what is shown, and the same text on machines whose logarithms differ in the last bit. */
const rounded = (score: number): number => Math.round(score * 10_000) / 10_000;

function best<Term extends { readonly term: string; readonly score: number; readonly count: number }>(
  terms: readonly Term[],
  most: number,
): Term[] {
  return terms
    .filter(({ score }) => score > 0)
    .toSorted(
      (left, right) => right.score - left.score || right.count - left.count || byCodeUnits(left.term, right.term),
    )
    .slice(0, most);
}
