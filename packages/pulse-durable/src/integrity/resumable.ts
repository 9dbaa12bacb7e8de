import { PulseError } from "@pulse-ts/core";
import type { AttemptEntry, RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import { nodeAt } from "./problem.ts";

/**
 * Refuses the resume of a running run whose writer would have to continue an open stream without having declared that it
 * can (STR-48). Of a record that was found sound. What is void, what stands in a scope that has failed already, and what
 * {@link repairEnds} is about to fail is not continued.
 * @throws PULSE_INCOMPATIBLE with the stream's key and its writer's path; `next` is `new-run-id`
 */
export function refuseUnresumable(record: RunRecord, { runId }: { readonly runId: string }): void {
  if (record.header.status !== "running") return;
  let over: ReadonlySet<string> | undefined;
  for (const { end, resumable, scope, attempt, nodeId, key } of record.streams.values()) {
    if (end !== "open" || resumable) continue;
    over ??= failedRoots(record);
    if (over.has(attempt) || !isAlive(record, scope, over)) continue;
    const path = record.scopes.get(scope)?.path ?? "";
    const writer = nodeAt(path, nodeId);
    throw new PulseError(
      "PULSE_INCOMPATIBLE",
      `resuming run "${shownRunId(runId)}": ${writer} was writing the stream ${JSON.stringify(key)} and did not declare that it can continue from its position; this run cannot be continued: declare \`resumable: true\` for the node, let it begin at position(), and start a run under another id`,
      {
        details: {
          runId,
          next: "new-run-id",
          what: "stream",
          expected: "resumable",
          found: "not resumable",
          key,
          scope,
          path: path === "" ? nodeId : `${path}/${nodeId}`,
        },
      },
    );
  }
}

/** Root attempts that have failed, or whose streams have, by their ids and by the scopes that they decide. */
function failedRoots({ attempts, streams }: RunRecord): ReadonlySet<string> {
  const over = new Set<string>();
  const add = (id: string, { parent, boundary }: AttemptEntry): void => {
    if (boundary === "") over.add(id).add(parent);
  };
  for (const [id, entry] of attempts) if (entry.state === "failed") add(id, entry);
  for (const { end, attempt } of streams.values()) {
    const entry = end === "failed" ? attempts.get(attempt) : undefined;
    if (entry !== undefined) add(attempt, entry);
  }
  return over;
}

/** Neither the scope nor anything around it has failed. */
function isAlive({ attempts, header }: RunRecord, scope: string, over: ReadonlySet<string>): boolean {
  for (let at = scope; ;) {
    if (over.has(at)) return false;
    if (at === header.rootScope) return true;
    const attempt = attempts.get(at);
    if (attempt === undefined || attempt.state === "failed") return false;
    at = attempt.parent;
  }
}
