import { PulseError } from "@pulse-ts/core";
import { scopeKey } from "../record/entry-key.ts";
import type { NodeEntry, ScopeEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { shownRunId } from "../run-id.ts";
import { activeAttempt, unsavedChain } from "./attempt-chain.ts";
import type { Decision } from "./decision.ts";

export interface OpenChild extends ScopeEntry {
  readonly bindings: boolean;
  /** The deepest attempt around the mount's body; the scope gets its id (REC-2). */
  readonly attempt: string;
  /** The child's keys that `inputs` covers, to name them when it differs (CKPT-23). */
  readonly keys?: readonly string[];
}

export interface OpenedChild {
  readonly scope: string;
  /** False: it was there, and nothing needs to be saved. */
  readonly created: boolean;
  /** A root attempt in it has failed for good: the mount fails before anything is installed (CKPT-13). */
  readonly failed: boolean;
  /** What is confirmed in it; nothing of a failed scope. */
  readonly nodes: readonly NodeEntry[];
}

/**
 * Opens the scope of a child graph, or recognises it with what it has confirmed. A new one is saved with the attempts
 * around it that no save holds (DUR-20). Costs what the scope holds, not the run.
 * @throws PULSE_INCOMPATIBLE when it was opened for another graph, path or other inputs (CKPT-23);
 *   PULSE_USAGE when the attempt is unknown, not active or void
 */
export function openChild(view: RunView, command: OpenChild): Decision<OpenedChild> {
  const { attempt: scope, graph, path, inputs, bindings } = command;
  activeAttempt(view, scope);
  const found = view.record.scopes.get(scope);
  if (found === undefined) {
    const put = { kind: "put", key: scopeKey(scope), entry: { graph, path, inputs, bindings } } as const;
    const changes = [...unsavedChain(view, scope), put];
    return { changes, result: { scope, created: true, failed: false, nodes: [] } };
  }
  checkSame(view, command, found);
  const failed = someFailed(view, scope);
  return { changes: [], result: { scope, created: false, failed, nodes: failed ? [] : nodesIn(view, scope) } };
}

function someFailed(view: RunView, scope: string): boolean {
  for (const id of view.index.failedIn(scope)) {
    if (view.record.attempts.get(id)?.state === "failed") return true;
  }
  return false;
}

function nodesIn(view: RunView, scope: string): readonly NodeEntry[] {
  const nodes: NodeEntry[] = [];
  for (const key of view.index.nodesIn(scope)) {
    const entry = view.record.nodes.get(key);
    // The index knows what a save in flight holds; only what the view has counts.
    if (entry !== undefined) nodes.push(entry);
  }
  return nodes;
}

function checkSame(view: RunView, command: OpenChild, found: ScopeEntry): void {
  const { runId } = view.record.header;
  const { attempt: scope, path, keys } = command;
  // A scope that keeps the older fingerprint was checked by the values of its inputs when the run was opened (REC-3).
  const older = command.bindings && found.bindings !== true;
  for (const field of older ? (["graph", "path"] as const) : (["graph", "path", "bindings", "inputs"] as const)) {
    if (command[field] === found[field]) continue;
    const key = keys?.join(", ");
    const about = field === "inputs" && key !== undefined ? `inputs (${key})` : field;
    throw new PulseError(
      "PULSE_INCOMPATIBLE",
      `resuming run "${shownRunId(runId)}": the mount "${path}" would open scope ${scope} with another ${about} than it was opened with: ${found[field]} is recorded, ${command[field]} was given; resume with the same definition and fixed values`,
      {
        details: {
          runId,
          next: "same-definition",
          what: "scope",
          expected: found[field],
          found: command[field],
          scope,
          path,
          ...(key === undefined ? undefined : { key }),
        },
      },
    );
  }
}
