import type { Catalogue, InvertedIndex, Ranking } from "../values.ts";

/** All that a report shows. No time, no duration, no absolute path: the same folder gives the same bytes. */
export interface ReportData {
  /** The folder's name. */
  readonly title: string;
  readonly catalogue: Catalogue;
  readonly index: InvertedIndex;
  readonly ranking: Ranking;
  /** Files that are neither text nor Markdown by their names. */
  readonly otherFiles: number;
}
