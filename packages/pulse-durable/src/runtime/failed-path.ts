import { inspectRecord } from "../inspect.ts";
import type { AttemptInspection, NodeInspection, ScopeInspection } from "../inspect.ts";
import type { RunRecord } from "../record/format.ts";

/**
 * The nodes at which a finally failed run has failed: the deepest that the record tells. More than one when siblings failed
 * as well before the run had stopped: the record does not say which of them was the first. Linear in the record.
 */
export function failedPaths(record: RunRecord): readonly string[] {
  return failedIn(inspectRecord(record).root).map(deepest);
}

/**
 * The deepest failed node at or under the one at which an execution has failed. A mount that had failed before this process
 * began fails again without its child graph being run: only the record knows which node of it was the reason.
 */
export function deepestFailed(record: RunRecord, path: string): string {
  return failedPaths(record).find((failed) => failed.startsWith(`${path}/`)) ?? path;
}

/** Down through the mounts, as long as one node alone has failed in the child graph of the last try. */
function deepest(node: NodeInspection): string {
  let at = node;
  for (;;) {
    const failed = failedIn(childOf(at));
    const [only] = failed;
    if (only === undefined || failed.length > 1) return at.path;
    at = only;
  }
}

/** The child graph stands in the deepest attempt; of several tries the last one decided. */
function childOf(node: NodeInspection): ScopeInspection | undefined {
  let attempt: AttemptInspection | undefined = node.attempts.at(-1);
  for (let inner = attempt; inner !== undefined; inner = inner.attempts.at(-1)) attempt = inner;
  return attempt?.child;
}

function failedIn(scope: ScopeInspection | undefined): readonly NodeInspection[] {
  return scope?.nodes.filter(({ state }) => state === "failed") ?? [];
}
