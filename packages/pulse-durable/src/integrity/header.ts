import { headerKey, idsKey } from "../record/entry-key.ts";
import type { RunRecord } from "../record/format.ts";
import type { DefinitionView } from "./definition-view.ts";
import { corrupt, isDigest, isId } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** The header's own ids and digests have the right form, and it names its root scope (REC-2, REC-17). */
export function headerProblems(record: RunRecord, runId: string): readonly RecordProblem[] {
  const { header, scopes, attempts } = record;
  const problems: RecordProblem[] = [];
  const report = (field: string, problem: string): void => void problems.push(corrupt(headerKey, field, problem));

  if (header.runId !== runId)
    report("runId", `is ${JSON.stringify(header.runId)}, the run is ${JSON.stringify(runId)}`);
  for (const field of ["definition", "inputs"] as const) {
    if (!isDigest(header[field])) report(field, "is no SHA-256 in hex");
  }
  if (!isId(header.rootScope)) report("rootScope", "is no id");
  const root = scopes.get(header.rootScope);
  if (root === undefined) report("rootScope", `names the scope ${header.rootScope}, which is missing`);
  else if (root.inputs !== header.inputs) {
    problems.push(corrupt(`scope/${idsKey(header.rootScope)}`, "inputs", "are not those of the header"));
  }
  // Else the parent chains could pass through the root.
  if (attempts.has(header.rootScope)) report("rootScope", "is also the id of an attempt");
  return problems;
}

/** The status is what the root scope's nodes and attempts decide. */
export function statusProblems(record: RunRecord, definition: DefinitionView): readonly RecordProblem[] {
  const { header, nodes, attempts } = record;
  const rootNodes = definition.graph("")?.nodes ?? new Map<string, unknown>();
  let failed = false;
  for (const attempt of attempts.values()) {
    failed ||= attempt.parent === header.rootScope && attempt.boundary === "" && attempt.state === "failed";
  }
  const completed = [...rootNodes.keys()].every((nodeId) => nodes.has(idsKey(header.rootScope, nodeId)));
  const status = failed ? "failed" : completed ? "completed" : "running";
  if (status === header.status) return [];
  return [corrupt(headerKey, "status", `is ${header.status}, but the root scope's nodes say ${status}`)];
}
