import { nodeKey, idsKey } from "../record/entry-key.ts";
import type { AttemptEntry } from "../record/format.ts";
import type { CheckedParts } from "./parts.ts";
import { corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import type { SourceParts } from "./sources.ts";

/**
 * The ends of the streams that one root attempt opened agree with each other and with it (REC-21). Some failed with others
 * open, or with the root still active, is no damage: see `repairEnds` (STR-26).
 */
export function streamEndProblems(
  parts: CheckedParts,
  sources: ReadonlyMap<string, SourceParts>,
): readonly RecordProblem[] {
  const { attempts } = parts.record;
  const problems: RecordProblem[] = [];
  const failedOf = new Map<string, SourceParts>();
  for (const source of sources.values()) {
    if (source.first.end === "failed") failedOf.set(source.first.attempt, source);
  }
  for (const source of sources.values()) {
    const { key, first } = source;
    const failed = failedOf.get(first.attempt);
    const attempt = attempts.get(first.attempt);
    if (failed !== undefined && (first.end === "completed" || first.end === "canceled")) {
      const other = JSON.stringify(failed.first.key);
      problems.push(corrupt(key, "end", `is ${first.end}, but that of ${other} under the same root attempt is failed`));
      continue;
    }
    const wrong = attempt === undefined ? undefined : endProblem(parts, source, attempt);
    if (wrong !== undefined) problems.push(corrupt(key, "end", wrong));
    if (attempt?.state !== "confirmed") continue;
    // A stream that was opened is no skipped output (STR-38).
    const outputs = parts.record.nodes.get(idsKey(first.scope, first.nodeId))?.outputs ?? [];
    const output = outputs.find(({ name }) => name === first.key);
    if (output?.state === "stream" && output.stream.sourceId === source.sourceId) continue;
    const where = nodeKey(first.scope, first.nodeId);
    problems.push(
      corrupt(
        where,
        `outputs ${JSON.stringify(first.key)}`,
        `does not name ${source.sourceId}, which the node has opened`,
      ),
    );
  }
  return problems;
}

function endProblem(parts: CheckedParts, { first }: SourceParts, attempt: AttemptEntry): string | undefined {
  const { end } = first;
  if (attempt.state === "confirmed") return end === "completed" ? undefined : `is ${end}, but its node is confirmed`;
  if (end === "completed") return "is completed, but its node is not confirmed";
  if (attempt.state === "failed") return end === "failed" ? undefined : `is ${end}, but its root attempt has failed`;
  // An interruption leaves a stream open. What is void is never continued, whatever its end.
  return end === "canceled" && !isVoid(parts, first.scope) ? "is canceled, but its root attempt is active" : undefined;
}

/** Something around the scope has failed. The tree was found sound: this ends at the root. */
function isVoid({ record: { attempts, header } }: CheckedParts, scope: string): boolean {
  for (let at = scope; at !== header.rootScope;) {
    const attempt = attempts.get(at);
    if (attempt === undefined) return false;
    if (attempt.state === "failed") return true;
    at = attempt.parent;
  }
  return false;
}
