import { attemptKey } from "../record/entry-key.ts";
import type { AttemptEntry, RecordChange } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { refuse } from "./decision.ts";

/** An attempt as the view has it: saved, or opened and not saved yet. */
export function attemptOf(view: RunView, id: string): AttemptEntry | undefined {
  return view.record.attempts.get(id) ?? view.pending.get(id);
}

/** An attempt that work may go on in: it is there and active, and nothing above it has failed. */
export function activeAttempt(view: RunView, id: string): AttemptEntry {
  let first: AttemptEntry | undefined;
  for (const [at, entry] of chainOf(view, id)) {
    first ??= entry;
    // Above, a confirmed root attempt cannot be: it is confirmed after all inside it has ended.
    if (entry.state !== "active") refuse(view, "REC-4", `attempt ${id} of ${named(first)}: ${stateAt(id, at, entry)}`);
  }
  return first as AttemptEntry;
}

function stateAt(id: string, at: string, entry: AttemptEntry): string {
  return at === id ? `it is ${entry.state}, not active` : `attempt ${at} around it is ${entry.state}`;
}

/** The attempt, and the ancestors that no save holds yet: outermost first (DUR-20). */
export function unsavedChain(view: RunView, id: string): readonly RecordChange[] {
  const changes: RecordChange[] = [];
  for (const [at, entry] of chainOf(view, id)) {
    // What a save holds has its ancestors in the same save or an earlier one.
    if (view.record.attempts.has(at)) break;
    changes.unshift({ kind: "put", key: attemptKey(at), entry });
  }
  return changes;
}

/** The attempt and all around it, up to the root scope (REC-6). */
function* chainOf(view: RunView, id: string): Generator<readonly [string, AttemptEntry]> {
  for (let at: string | undefined = id; at !== undefined;) {
    const entry = attemptOf(view, at);
    if (entry === undefined) refuse(view, "REC-6", `attempt ${at} was never opened`);
    yield [at, entry];
    // The scope of a child graph has the id of the attempt that it runs in (REC-2).
    at = entry.parent === view.record.header.rootScope ? undefined : entry.parent;
  }
}

function named(entry: AttemptEntry): string {
  return `node "${entry.nodeId}"`;
}
