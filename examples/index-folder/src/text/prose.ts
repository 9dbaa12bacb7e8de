import { byCodeUnits } from "./order.ts";
import { countTerms } from "./count-terms.ts";
import type { TermCount } from "../values.ts";

/**
 * Fenced blocks and comments to where they close or to the end, code spans, where links lead. Every pattern here begins
 * where a run begins or has a limit to its length, so that no text makes it look at the same characters again and again.
 */
const markup: readonly RegExp[] = [
  /^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^ {0,3}\1[`~]*[ \t]*$|[\s\S]*)/gmu,
  /<!--[\s\S]*?(?:-->|$)/gu,
  /(?<!`)(`+)(?!`)[^\n]{1,1000}?(?<!`)\1(?!`)/gu,
  /(?<=\])\([^)\s]{0,1000}(?:\s"[^"\n]{0,1000}")?\)/gu,
  /^\[[^\]\n]{1,1000}\]:[^\n]*$/gmu,
];

/** In any text: addresses, paths and file names, numbered rules such as ABC-12, and names as programs write them. */
const names: readonly RegExp[] = [
  /\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/giu,
  /(?<![\p{L}\p{N}_.@-])[\p{L}\p{N}_.@-]*(?:[/\\][\p{L}\p{N}_.@-]+){2,}/gu,
  /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]{2,}(?:\.\p{Ll}[\p{Ll}\p{N}]{0,4})+(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}]*(?:-\p{N}+)+(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+/gu,
  /(?<![\p{L}\p{N}])\p{Ll}+(?:\p{Lu}\p{Ll}*)+(?![\p{L}\p{N}])/gu,
];

/**
 * What a text says in words: without code, link targets, paths, and identifiers. Only the ranking looks at it; all of a
 * text is indexed and found.
 */
export function proseOf(text: string, { markdown }: { readonly markdown: boolean }): string {
  const patterns = markdown ? [...markup, ...names] : names;
  return patterns.reduce((left, pattern) => left.replace(pattern, " "), text);
}

/** How often each term stands outside the prose, ascending by term; those that never do are not listed. */
export function countOutsideProse(terms: readonly TermCount[], prose: string): TermCount[] {
  const said = new Map(countTerms(prose));
  return terms
    .map(([term, times]): TermCount => [term, times - (said.get(term) ?? 0)])
    .filter(([, times]) => times > 0)
    .toSorted(([left], [right]) => byCodeUnits(left, right));
}
