import { inspectRecord } from "../inspect.ts";
import type { AttemptInspection, ScopeInspection } from "../inspect.ts";
import type { RunRecord } from "../record/format.ts";

/** The paths of the nodes that a record has confirmed and that no failed try above them has voided (CKPT-22). */
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
  return [...(child === undefined ? [] : inScope(child)), ...attempts.flatMap(inAttempt)];
}
