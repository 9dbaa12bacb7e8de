import { byCodeUnits } from "../text/order.ts";
import { functionWords } from "./function-words.ts";
import type { InvertedIndex, RankedTerm, Ranking } from "../values.ts";

/** How many terms of the whole folder the report shows. */
export const folderTermsMax = 40;
/** How many terms of each file the report shows. */
export const fileTermsMax = 6;

/**
 * Ranks by tf-idf over the prose: a term counts the more the oftener it is said, and the fewer files say it. For the whole
 * folder, saying it again in the same file adds less and less, so that a term of several files comes before one that a
 * single file repeats. Of a word and its plural the better one is shown. A term of every file says nothing about any. Function words, single letters, bare numbers, digests, and what
 * stands in code or identifiers alone are found by searching but never ranked.
 */
export function rank(index: InvertedIndex): Ranking {
  const terms: RankedTerm[] = [];
  const byFile = index.paths.map((): { term: string; score: number; count: number }[] => []);
  const outside = new Map(index.outsideProse.map(([term, postings]) => [term, new Map(postings)]));
  for (const [term, postings] of index.postings) {
    if (!isTelling(term)) continue;
    const elsewhere = outside.get(term);
    const said = postings.map(([file, times]) => ({ file, times, inProse: times - (elsewhere?.get(file) ?? 0) }));
    const saying = said.filter(({ inProse }) => inProse > 0);
    if (saying.length === 0) continue;
    const rarity = rarityOf(saying.length, index.paths.length);
    let weight = 0;
    for (const { file, times, inProse } of saying) {
      weight += 1 + Math.log(inProse);
      byFile[file]?.push({ term, score: rounded(inProse * rarity), count: times });
    }
    const count = said.reduce((sum, { times }) => sum + times, 0);
    terms.push({ term, score: rounded(weight * rarity), files: said.length, count });
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
  const ranked = terms
    .filter(({ score }) => score > 0)
    .toSorted(
      (left, right) => right.score - left.score || right.count - left.count || byCodeUnits(left.term, right.term),
    );
  const shown = new Map<string, Term>();
  for (const entry of ranked) {
    const { term } = entry;
    if (shown.size === most) break;
    if (!shown.has(`${term}s`) && !(term.endsWith("s") && shown.has(term.slice(0, -1)))) shown.set(term, entry);
  }
  return [...shown.values()];
}
