import { byCodeUnits } from "./order.ts";
import { tokenise } from "./tokenise.ts";
import type { TermCount } from "../values.ts";

/** How often a text says each of its terms, ascending by term. Where a Markdown link leads is not counted. */
export function countTerms(text: string): TermCount[] {
  const counts = new Map<string, number>();
  for (const term of tokenise(text.replace(/\]\([^)\s]*\)/gu, "] "))) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].toSorted(([left], [right]) => byCodeUnits(left, right));
}

/** Lines as an editor numbers them; a text that ends with a line break has no further line after it. */
export function countLines(text: string): number {
  if (text === "") return 0;
  const breaks = text.match(/\r\n|\n|\r/gu)?.length ?? 0;
  return /[\r\n]$/u.test(text) ? breaks : breaks + 1;
}
