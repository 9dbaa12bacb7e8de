import { attemptKey, headerKey, idsKey, nodeKey } from "../record/entry-key.ts";
import type { NodeEntry, RecordChange } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { activeAttempt, unsavedAround } from "./attempt-chain.ts";
import { refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";

export interface CommitNode extends NodeEntry {
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
 * one save (REC-4, REC-7, CKPT-5). That the outputs fit the node was checked before (CKPT-35).
 * @throws PULSE_USAGE when the attempt is not this node's active root attempt, is void, or the node is confirmed
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
  const node: NodeEntry = { nodeId, attempt, reason, outputs };
  // A root attempt has no ancestors that its scope's save did not hold; only itself may be unsaved.
  const changes: RecordChange[] = [
    ...unsavedAround(view, attempt),
    { kind: "put", key: attemptKey(attempt), entry: { ...entry, state: "confirmed" } },
    { kind: "put", key: nodeKey(scope, nodeId), entry: node },
  ];
  const runCompleted =
    scope === header.rootScope && header.status === "running" && confirmedIn(view, scope) + 1 === rootNodes;
  if (runCompleted) changes.push({ kind: "put", key: headerKey, entry: { ...header, status: "completed" } });
  return { changes, result: { node, runCompleted } };
}

/** Decided on a draft's view, where the index and the record agree (DUR-19). */
function confirmedIn(view: RunView, scope: string): number {
  return view.index.nodesIn(scope).size;
}
