import { PulseError } from "@pulse-ts/core";
import type { AttemptEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { shownRunId } from "../run-id.ts";
import { activeAttempt, attemptOf } from "./attempt-chain.ts";
import { checkNewId, refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";

export interface OpenAttempt {
  readonly scope: string;
  readonly nodeId: string;
  /** The node's path in the run, for messages. */
  readonly path: string;
  /** The scope for a root attempt, else the outer attempt. */
  readonly parent: string;
  /** Empty for a root attempt, else the retry's place in the effective chain (CKPT-20). */
  readonly boundary: string;
  /** 1 for a root attempt, else the retry's limit. */
  readonly limit: number;
  /** The id that a new attempt gets; unused when one is recognised (REC-1). */
  readonly newId: string;
}

export interface OpenedAttempt {
  readonly id: string;
  readonly entry: AttemptEntry;
  /**
   * `recognised`: it was active before (CKPT-19). `new`: keep it pending, it goes with the first save that depends on it
   * (DUR-10). `exhausted`: the place's budget is used up, and this is its last try (CKPT-32, CKPT-21).
   */
  readonly state: "recognised" | "new" | "exhausted";
}

/**
 * Recognises the active attempt at a place, or proposes the next one. Never changes the record.
 * @throws PULSE_INCOMPATIBLE when the place's attempts were made with another limit;
 *   PULSE_USAGE when the scope or the outer attempt is unknown, not active or void, or the node is confirmed
 */
export function openAttempt(view: RunView, command: OpenAttempt): Decision<OpenedAttempt> {
  const { parent, nodeId, boundary, limit, newId } = command;
  checkParent(view, command);
  const ids = view.index.attemptsAt(parent, nodeId, boundary);
  for (let at = ids.length - 1; at >= 0; at -= 1) {
    const id = ids[at] as string;
    const entry = attemptOf(view, id);
    // The index knows what a save in flight holds; the view decides whether it is there yet.
    if (entry === undefined) continue;
    if (entry.limit !== limit) throw otherLimit(view, command, entry.limit);
    if (entry.state === "confirmed") refuse(view, "CKPT-25", `node "${command.path}" is confirmed and runs no more`);
    if (entry.state === "active") return { changes: [], result: { id, entry, state: "recognised" } };
    if (entry.index >= limit) return { changes: [], result: { id, entry, state: "exhausted" } };
    return propose(view, newId, { parent, nodeId, boundary, index: entry.index + 1, limit, state: "active" });
  }
  return propose(view, newId, { parent, nodeId, boundary, index: 1, limit, state: "active" });
}

function propose(view: RunView, id: string, entry: AttemptEntry): Decision<OpenedAttempt> {
  checkNewId(view, id);
  return { changes: [], result: { id, entry, state: "new" } };
}

function checkParent(view: RunView, command: OpenAttempt): void {
  const { scope, parent, nodeId, path, boundary, limit } = command;
  if (!view.record.scopes.has(scope))
    refuse(view, "REC-6", `node "${path}" runs in scope ${scope}, which was never opened`);
  if (!Number.isSafeInteger(limit) || limit < 1)
    refuse(view, "REC-5", `node "${path}": ${limit} is no limit of attempts`);
  if (boundary === "") {
    if (parent !== scope || limit !== 1) {
      refuse(view, "REC-5", `node "${path}": a root attempt has its scope as parent and the limit 1`);
    }
    if (scope !== view.record.header.rootScope) activeAttempt(view, scope);
    return;
  }
  const outer = activeAttempt(view, parent);
  if (outer.nodeId !== nodeId) refuse(view, "REC-6", `node "${path}": attempt ${parent} is of node "${outer.nodeId}"`);
}

function otherLimit(view: RunView, command: OpenAttempt, found: number): PulseError {
  const { runId } = view.record.header;
  const { scope, path, boundary, limit } = command;
  return new PulseError(
    "PULSE_INCOMPATIBLE",
    `resuming run "${shownRunId(runId)}": the retry at place "${boundary}" of node "${path}" has limit ${limit}, its recorded attempts have ${found}; resume with the definition that the run was started with`,
    { details: { runId, next: "same-definition", what: "definition", expected: found, found: limit, scope, path } },
  );
}
