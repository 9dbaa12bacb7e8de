import { byCodeUnits } from "../text/order.ts";
import type { InvertedIndex, Posting, ReadFile, TermCount } from "../values.ts";

/** From "which terms has a file" to "which files have a term". */
export function invert(files: readonly Pick<ReadFile, "path" | "terms" | "outsideProse">[]): InvertedIndex {
  return {
    paths: files.map(({ path }) => path),
    postings: postingsOf(files.map(({ terms }) => terms)),
    outsideProse: postingsOf(files.map(({ outsideProse }) => outsideProse)),
  };
}

function postingsOf(files: readonly (readonly TermCount[])[]): InvertedIndex["postings"] {
  const postings = new Map<string, Posting[]>();
  for (const [file, terms] of files.entries()) {
    for (const [term, times] of terms) {
      const found = postings.get(term);
      if (found === undefined) postings.set(term, [[file, times]]);
      else found.push([file, times]);
    }
  }
  return [...postings].toSorted(([left], [right]) => byCodeUnits(left, right));
}
