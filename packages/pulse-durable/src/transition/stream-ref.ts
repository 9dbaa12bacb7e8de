import { streamKey } from "../record/entry-key.ts";
import type { StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { attemptOf, outerOf } from "./attempt-chain.ts";
import type { ChangeSet } from "./change-set.ts";
import { refuse } from "./decision.ts";

/** A stream, and the generation that the caller opened it in (STR-21). */
export interface SourceRef {
  readonly sourceId: string;
  readonly generation: number;
}

/** One group's account of a stream. */
export interface SourceGroupRef extends SourceRef {
  readonly group: string;
}

/** A business refusal, as an answer: the source has ended so, and nothing changes (STR-43). */
export interface EndedRefusal {
  readonly refused: "failed" | "canceled";
}

/** All groups of a source that the record knows, in the generation of the call. @throws PULSE_USAGE, rule STR-49 or STR-21 */
export function groupsAt(changes: ChangeSet, { sourceId, generation }: SourceRef): readonly StreamEntry[] {
  const groups = changes.groupsOf(sourceId);
  const [first] = groups;
  if (first === undefined) refuse(changes.view, "STR-49", `the record knows no stream source ${sourceId}`);
  checkGeneration(changes.view, first, generation);
  return groups;
}

/** One group that the record knows, in the generation of the call. @throws PULSE_USAGE, rule STR-49 or STR-21 */
export function groupAt(changes: ChangeSet, ref: SourceGroupRef): StreamEntry {
  const found = groupsAt(changes, ref).find(({ group }) => group === ref.group);
  return found ?? refuse(changes.view, "STR-49", `the record knows no ${streamKey(ref.sourceId, ref.group)}`);
}

function checkGeneration(view: RunView, entry: StreamEntry, generation: number): void {
  if (entry.generation === generation) return;
  const found = `stream "${entry.key}" of node "${entry.nodeId}" is in generation ${entry.generation}, not ${generation}`;
  refuse(view, "STR-21", found);
}

/** How a source has ended if it ended badly. */
export function endedBadly({ end }: StreamEntry): EndedRefusal | undefined {
  return end === "failed" || end === "canceled" ? { refused: end } : undefined;
}

/** Refuses what is asked of a source when something around its writing node has failed (STR-49). */
export function refuseVoid(view: RunView, entry: StreamEntry): void {
  if (!isVoid(view, entry)) return;
  refuse(view, "STR-49", `stream "${entry.key}" of node "${entry.nodeId}" is void: an attempt around it has failed`);
}

/** Whether the writing attempt or one around it has failed: then nothing of the stream is used any more (REC-4). */
export function isVoid(view: RunView, { attempt }: StreamEntry): boolean {
  for (let at: string | undefined = attempt; at !== undefined;) {
    const entry = attemptOf(view, at);
    if (entry === undefined) refuse(view, "REC-6", `attempt ${at} was never opened`);
    if (entry.state === "failed") return true;
    at = outerOf(view, entry);
  }
  return false;
}
