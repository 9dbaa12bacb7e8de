import { z } from "zod";

/**
 * What the steps of the job hand to each other. All of it is written as JSON into the run's record, so it holds no
 * text of the indexed files, only what was counted in them.
 */

const count = z.int().nonnegative();

/** One text file as it was found, before anything of it is read. */
export const fileEntry = z.strictObject({
  /** Relative to the folder, with `/` between names on every system. */
  path: z.string(),
  bytes: count,
  /** Nanoseconds since the epoch: two listings differ when a file was written in between. */
  modified: z.string(),
  readable: z.boolean(),
});
export type FileEntry = z.infer<typeof fileEntry>;

/** A file or folder that is not in the index, and why. */
export const skippedFile = z.strictObject({ path: z.string(), reason: z.string() });
export type SkippedFile = z.infer<typeof skippedFile>;

/** What the folder holds. It is an input of the graph: a resume with another listing is refused (DUR-6). */
export const listing = z.strictObject({
  /** Ascending by path. */
  files: z.array(fileEntry),
  /** Folders that could not be opened. */
  closed: z.array(z.string()),
  /** How many files are neither text nor Markdown by their names. */
  otherFiles: count,
});
export type Listing = z.infer<typeof listing>;

/** A term and how often one file says it. */
const termCount = z.tuple([z.string(), count]);
export type TermCount = z.infer<typeof termCount>;

/** All that is read out of one file. */
export const readFile = z.strictObject({
  path: z.string(),
  title: z.string(),
  bytes: count,
  lines: count,
  /** SHA-256 of the file's bytes. */
  digest: z.string(),
  /** Ascending by term. */
  terms: z.array(termCount),
  /** How many of them stand in code, addresses and identifiers: no words a reader would name the text by. Ascending. */
  outsideProse: z.array(termCount),
});
export type ReadFile = z.infer<typeof readFile>;

export const chunkTexts = z.strictObject({ files: z.array(readFile), skipped: z.array(skippedFile) });
export type ChunkTexts = z.infer<typeof chunkTexts>;

/** What the report's table says of one file. */
export const fileStatistics = z.strictObject({
  path: z.string(),
  title: z.string(),
  bytes: count,
  lines: count,
  words: count,
  distinct: count,
  digest: z.string(),
});
export type FileStatistics = z.infer<typeof fileStatistics>;

export const chunkStatistics = z.strictObject({ files: z.array(fileStatistics), skipped: z.array(skippedFile) });
export type ChunkStatistics = z.infer<typeof chunkStatistics>;

/** Where a term stands: the number of a file in a list of paths, and how often. Ascending by file. */
const posting = z.tuple([count, count]);
export type Posting = z.infer<typeof posting>;
const postings = z.array(z.tuple([z.string(), z.array(posting)]));

/** Pairs and no object: a term may be `__proto__`. Ascending by term. */
export const invertedIndex = z.strictObject({
  paths: z.array(z.string()),
  postings,
  /** Those of `postings` that stand outside the prose. For the ranking alone. */
  outsideProse: postings,
});
export type InvertedIndex = z.infer<typeof invertedIndex>;

/** All chunks put together. */
export const catalogue = z.strictObject({
  files: z.array(fileStatistics),
  skipped: z.array(skippedFile),
  words: count,
  distinct: count,
});
export type Catalogue = z.infer<typeof catalogue>;

export const rankedTerm = z.strictObject({ term: z.string(), score: z.number(), files: count, count });
export type RankedTerm = z.infer<typeof rankedTerm>;

export const ranking = z.strictObject({
  /** The folder's terms, best first. */
  terms: z.array(rankedTerm),
  /** For each file, in the order of the catalogue, its best terms. */
  byFile: z.array(z.array(z.strictObject({ term: z.string(), score: z.number(), count }))),
});
export type Ranking = z.infer<typeof ranking>;
