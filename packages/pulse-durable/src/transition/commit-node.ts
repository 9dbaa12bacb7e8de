import { attemptKey, headerKey, idsKey, nodeKey } from "../record/entry-key.ts";
import type { NodeEntry, StreamValue, ValueRecord } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { activeAttempt, unsavedAround } from "./attempt-chain.ts";
import { ChangeSet } from "./change-set.ts";
import { refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";
import { endStreams, stopGroup } from "./group-changes.ts";
import { groupAt } from "./stream-ref.ts";
import type { SourceGroupRef } from "./stream-ref.ts";

/** A stream among a node's outputs; its descriptor is written from what the record knows of the source (REC-10). */
export interface StreamOutput {
  readonly name: string;
  /** Of the element. */
  readonly codec: string;
  readonly codecVersion: string;
  readonly state: "stream";
  readonly sourceId: string;
}

export interface CommitNode extends Omit<NodeEntry, "outputs"> {
  readonly outputs: readonly (Exclude<ValueRecord, StreamValue> | StreamOutput)[];
  /** The groups that leave with the node: their rest is dropped in this save (STR-44). */
  readonly stops?: readonly SourceGroupRef[];
  readonly scope: string;
  /** How many nodes the root graph has: the last one completes the run. */
  readonly rootNodes: number;
}

export interface CommittedNode {
  readonly node: NodeEntry;
  /** It was the last node of the root scope. */
  readonly runCompleted: boolean;
}

/**
 * Confirms a complete node: its entry, its root attempt and, with the last node of the root scope, the run's status in
 * one save (REC-4, REC-7, CKPT-5), and the completed end of each stream that this root attempt has opened (STR-34). A
 * further name of another node's stream ends nothing; the end that its descriptor names is the one that the record knows
 * now (STR-35). That the outputs fit the node was checked before (CKPT-35).
 * @throws PULSE_USAGE when the attempt is not this node's active root attempt, is void, or the node is confirmed; for a
 *   stream among the outputs that the record does not know, or that has ended in a way that no node may hold (STR-51)
 */
export function commitNode(view: RunView, command: CommitNode): Decision<CommittedNode> {
  const { scope, nodeId, attempt, reason, outputs, rootNodes } = command;
  const { header, nodes } = view.record;
  if (nodes.has(idsKey(scope, nodeId))) {
    refuse(view, "REC-7", `node "${nodeId}" of scope ${scope} is confirmed; it cannot be confirmed twice`);
  }
  const entry = activeAttempt(view, attempt);
  if (entry.boundary !== "" || entry.parent !== scope || entry.nodeId !== nodeId) {
    refuse(view, "REC-7", `attempt ${attempt} is no root attempt of node "${nodeId}" in scope ${scope}`);
  }
  const changes = new ChangeSet(view);
  // A root attempt has no ancestors that its scope's save did not hold; only itself may be unsaved.
  changes.add(unsavedAround(view, attempt));
  changes.put(attemptKey(attempt), { ...entry, state: "confirmed" });
  for (const stop of command.stops ?? []) stopGroup(changes, groupAt(changes, stop));
  endStreams(changes, attempt, "completed");
  const values = outputs.map((output) => (output.state === "stream" ? described(changes, attempt, output) : output));
  const node: NodeEntry = { nodeId, attempt, reason, outputs: values };
  changes.put(nodeKey(scope, nodeId), node);
  const runCompleted =
    scope === header.rootScope && header.status === "running" && confirmedIn(view, scope) + 1 === rootNodes;
  if (runCompleted) changes.put(headerKey, { ...header, status: "completed" });
  return { changes: changes.changes(), result: { node, runCompleted } };
}

function described(changes: ChangeSet, attempt: string, { sourceId, ...head }: StreamOutput): StreamValue {
  const [source] = changes.groupsOf(sourceId);
  if (source === undefined) refuse(changes.view, "STR-49", `the record knows no stream source ${sourceId}`);
  const { end, capacity } = source;
  const isOwn = source.attempt === attempt;
  if (end === "canceled" || (end === "failed" && isOwn)) {
    refuse(changes.view, "STR-51", `output "${head.name}" is a stream that has ended (${end})`);
  }
  const known = end === "open" ? undefined : { end };
  return { ...head, stream: { sourceId, attempt: source.attempt, capacity, ...known } };
}

/** Decided on a draft's view, where the index and the record agree (DUR-19). */
function confirmedIn(view: RunView, scope: string): number {
  return view.index.nodesIn(scope).size;
}
