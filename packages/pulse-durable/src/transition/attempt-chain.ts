import { attemptKey } from "../record/entry-key.ts";
import type { AttemptEntry, RecordChange } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { refuse } from "./decision.ts";

/** An attempt as the view has it: saved, or opened and not saved yet. */
export function attemptOf(view: RunView, id: string): AttemptEntry | undefined {
  return view.record.attempts.get(id) ?? view.pending.get(id);
}

/** An attempt that work may go on in: it is there and active, and nothing above it has failed. `rule`: told when it is not. */
export function activeAttempt(view: RunView, id: string, rule = "REC-4"): AttemptEntry {
  const first = knownAttempt(view, id);
  let entry = first;
  for (let at = id; ;) {
    // Above, a confirmed root attempt cannot be: it is confirmed after all inside it has ended.
    if (entry.state !== "active") refuse(view, rule, `attempt ${id} of ${named(first)}: ${stateAt(id, at, entry)}`);
    const outer = outerOf(view, entry);
    if (outer === undefined) return first;
    at = outer;
    entry = knownAttempt(view, at);
  }
}

function stateAt(id: string, at: string, entry: AttemptEntry): string {
  return at === id ? `it is ${entry.state}, not active` : `attempt ${at} around it is ${entry.state}`;
}

/** The attempts around this one that no save holds yet: outermost first (DUR-20). */
export function unsavedAround(view: RunView, id: string): readonly RecordChange[] {
  // What a save holds has its ancestors in the same save or an earlier one.
  if (view.record.attempts.has(id)) return [];
  const outer = outerOf(view, knownAttempt(view, id));
  return outer === undefined ? [] : unsavedChain(view, outer);
}

/** The attempt, and those around it, that no save holds yet: outermost first (DUR-20). */
export function unsavedChain(view: RunView, id: string): readonly RecordChange[] {
  const changes: RecordChange[] = [];
  for (let at: string | undefined = id; at !== undefined;) {
    if (view.record.attempts.has(at)) break;
    const entry = knownAttempt(view, at);
    changes.push({ kind: "put", key: attemptKey(at), entry });
    at = outerOf(view, entry);
  }
  return changes.reverse();
}

function knownAttempt(view: RunView, id: string): AttemptEntry {
  return attemptOf(view, id) ?? refuse(view, "REC-6", `attempt ${id} was never opened`);
}

/** The attempt around; `undefined` in the root scope. The scope of a child graph has the id of the attempt that it runs in (REC-2). */
export function outerOf(view: RunView, { parent }: AttemptEntry): string | undefined {
  return parent === view.record.header.rootScope ? undefined : parent;
}

function named(entry: AttemptEntry): string {
  return `node "${entry.nodeId}"`;
}
