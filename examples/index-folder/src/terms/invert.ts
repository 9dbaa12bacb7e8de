import { byCodeUnits } from "../text/order.ts";
import type { InvertedIndex, Posting, ReadFile } from "../values.ts";

/** From "which terms has a file" to "which files have a term". */
export function invert(files: readonly Pick<ReadFile, "path" | "terms">[]): InvertedIndex {
  const postings = new Map<string, Posting[]>();
  for (const [file, { terms }] of files.entries()) {
    for (const [term, times] of terms) {
      const found = postings.get(term);
      if (found === undefined) postings.set(term, [[file, times]]);
      else found.push([file, times]);
    }
  }
  return {
    paths: files.map(({ path }) => path),
    postings: [...postings].toSorted(([left], [right]) => byCodeUnits(left, right)),
  };
}
