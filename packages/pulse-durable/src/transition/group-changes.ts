import type { StreamEntry } from "../record/format.ts";
import { hasSequence, sequencesOf, withoutSequence } from "../record/sequence-runs.ts";
import type { SequenceRuns } from "../record/sequence-runs.ts";
import type { ChangeSet } from "./change-set.ts";

/** One sequence of a group is acknowledged: the frontier goes up to the next gap (STR-7, REC-20). Nothing if it was before. */
export function acknowledge(changes: ChangeSet, entry: StreamEntry, sequence: number): void {
  const pending = withoutSequence(entry.pending, sequence);
  if (pending === entry.pending) return;
  changes.putGroup({ ...entry, pending, ackedThrough: frontierOf(pending, entry.lastSequence) });
  dropUnwanted(changes, entry.sourceId, [[sequence, sequence]]);
}

/** The highest sequence with nothing unacknowledged at or below it. */
function frontierOf(pending: SequenceRuns, lastSequence: number): number {
  const [first] = pending;
  return first === undefined ? lastSequence : first[0] - 1;
}

/** The group reads no more: its rest is dropped, its frontier stays where it is (STR-9, REC-20). */
export function stopGroup(changes: ChangeSet, entry: StreamEntry): void {
  if (entry.stopped) return;
  changes.putGroup({ ...entry, pending: [], stopped: true });
  dropUnwanted(changes, entry.sourceId, entry.pending);
}

/** Deletes the messages that no group of the source has pending any more (REC-31). */
function dropUnwanted(changes: ChangeSet, sourceId: string, runs: SequenceRuns): void {
  const groups = changes.groupsOf(sourceId);
  for (const sequence of sequencesOf(runs)) {
    if (groups.some(({ pending }) => hasSequence(pending, sequence))) continue;
    changes.deleteMessage(sourceId, sequence);
  }
}

/** Ends every stream that a root attempt has opened and that is open still, for all its groups (STR-25, STR-34, REC-29). */
export function endStreams(changes: ChangeSet, attempt: string, end: "completed" | "failed"): void {
  for (const sourceId of changes.view.index.sourcesOfAttempt(attempt)) {
    for (const group of changes.groupsOf(sourceId)) if (group.end === "open") changes.putGroup({ ...group, end });
  }
}
