import type { FoldedSnapshot } from "./fold.ts";
import type { Parts } from "./parts.ts";
import { EntryPlaces } from "./places.ts";

/** What an owner knows its run's files to hold. */
export interface Known {
  revision: number;
  readonly places: EntryPlaces;
  /** Bytes that were saved since the last fold began. */
  journalBytes: number;
  /** Bytes that the entries of the snapshot took when it was made; 0 without one. */
  snapshotBytes: number;
  snapshot: FoldedSnapshot | undefined;
  readonly settled: boolean;
}

export const nothingSaved = (): Known => ({
  revision: 0,
  places: new EntryPlaces(),
  journalBytes: 0,
  snapshotBytes: 0,
  snapshot: undefined,
  settled: true,
});

/**
 * Whether to fold (FILE-4): when half of what the files hold is old. What is written by folding is then never more than
 * what was saved (REC-24), and a run whose entries are all still needed, however long, is never copied.
 */
export function foldIsDue(
  { journalBytes, snapshotBytes, places }: Known,
  { foldBytesMin, foldEarly }: Pick<Parts, "foldBytesMin" | "foldEarly">,
): boolean {
  if (journalBytes < foldBytesMin) return false;
  return foldEarly ? journalBytes >= places.weight : snapshotBytes + journalBytes >= 2 * places.weight;
}
