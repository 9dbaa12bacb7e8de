import { inspectRecord } from "../inspect.ts";
import type { AttemptInspection, ScopeInspection } from "../inspect.ts";
import type { RunRecord } from "../record/format.ts";

/**
 * The paths of the nodes that a record has confirmed and that no failure above them voids (CKPT-22), be it one that the mount
 * above has still to confirm.
 */
export function confirmedPaths(record: RunRecord): ReadonlySet<string> {
  return new Set(inScope(inspectRecord(record).root));
}

function inScope({ nodes }: ScopeInspection): readonly string[] {
  return nodes.flatMap(({ path, state, attempts }) => [
    ...(state === "completed" || state === "skipped" ? [path] : []),
    ...attempts.flatMap(inAttempt),
  ]);
}

function inAttempt({ state, child, attempts }: AttemptInspection): readonly string[] {
  if (state === "failed") return [];
  return [...(child === undefined || hasFailed(child) ? [] : inScope(child)), ...attempts.flatMap(inAttempt)];
}

/** A child graph in which a node has failed for good: its mount's next try begins anew (CKPT-13). */
const hasFailed = ({ nodes }: ScopeInspection): boolean => nodes.some(({ state }) => state === "failed");
