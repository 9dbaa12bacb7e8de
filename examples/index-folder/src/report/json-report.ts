import type { ReportData } from "./report-data.ts";

/** Rises when the report's shape changes in a way that its readers must know of. */
export const jsonReportFormat = 1;

/**
 * The report for programs. `index` is a list of pairs, as a term may be `__proto__`; a posting is the number of a file in
 * `files`, from 0, and how often the term stands in it.
 */
export function jsonReport({ title, catalogue, index, ranking, otherFiles }: ReportData): string {
  const report = {
    format: jsonReportFormat,
    folder: title,
    totals: {
      files: catalogue.files.length,
      skipped: catalogue.skipped.length,
      otherFiles,
      words: catalogue.words,
      terms: catalogue.distinct,
    },
    files: catalogue.files.map((file, at) => ({ ...file, topTerms: ranking.byFile[at] ?? [] })),
    skipped: catalogue.skipped,
    topTerms: ranking.terms,
  };
  // The index is long: a line a term keeps it readable and the file a third of the size that indenting it would give.
  const lines = index.postings.map((entry) => `    ${JSON.stringify(entry)}`);
  const head = JSON.stringify(report, undefined, 2).slice(0, -2);
  return `${head},\n  "index": [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]\n}\n`;
}
