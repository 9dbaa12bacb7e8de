import type { ChunkStatistics, ChunkTexts, FileStatistics, ReadFile } from "../values.ts";

/** What the report's table says of the files of one chunk, in their order. */
export function statisticsOf(texts: ChunkTexts): ChunkStatistics {
  return { files: texts.files.map(statisticsOfFile), skipped: texts.skipped };
}

function statisticsOfFile({ path, title, bytes, lines, digest, terms }: ReadFile): FileStatistics {
  const words = terms.reduce((sum, [, times]) => sum + times, 0);
  return { path, title, bytes, lines, words, distinct: terms.length, digest };
}
