import { byCodeUnits } from "../text/order.ts";
import type { Catalogue, ChunkStatistics, InvertedIndex, Posting, SkippedFile } from "../values.ts";

/** One index over the files of all parts. The result does not depend on how the files were dealt out. */
export function mergeIndexes(parts: readonly InvertedIndex[]): InvertedIndex {
  const paths = parts.flatMap((part) => part.paths).toSorted(byCodeUnits);
  const numberOf = new Map(paths.map((path, number) => [path, number]));
  const merge = (name: "postings" | "outsideProse"): InvertedIndex["postings"] => mergePostings(parts, numberOf, name);
  return { paths, postings: merge("postings"), outsideProse: merge("outsideProse") };
}

function mergePostings(
  parts: readonly InvertedIndex[],
  numberOf: ReadonlyMap<string, number>,
  name: "postings" | "outsideProse",
): InvertedIndex["postings"] {
  const merged = new Map<string, Posting[]>();
  for (const part of parts) {
    // Every path of a part is in `paths`, so it has a number.
    const numbers = part.paths.map((path) => numberOf.get(path) as number);
    for (const [term, postings] of part[name]) {
      const found = merged.get(term) ?? [];
      for (const [file, times] of postings) found.push([numbers[file] as number, times]);
      merged.set(term, found);
    }
  }
  const postings = [...merged].toSorted(([left], [right]) => byCodeUnits(left, right));
  for (const [, found] of postings) found.sort(([left], [right]) => left - right);
  return postings;
}

/** The table of all files, ascending by path, and all that was left out. */
export function mergeStatistics(
  parts: readonly ChunkStatistics[],
  passedOver: readonly SkippedFile[],
  index: InvertedIndex,
): Catalogue {
  const byPath = (left: { readonly path: string }, right: { readonly path: string }): number =>
    byCodeUnits(left.path, right.path);
  const files = parts.flatMap((part) => part.files).toSorted(byPath);
  return {
    files,
    skipped: [...passedOver, ...parts.flatMap((part) => part.skipped)].toSorted(byPath),
    words: files.reduce((sum, { words }) => sum + words, 0),
    distinct: index.postings.length,
  };
}
