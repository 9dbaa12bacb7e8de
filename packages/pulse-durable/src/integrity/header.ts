import { headerKey, idsKey } from "../record/entry-key.ts";
import type { RunRecord } from "../record/format.ts";
import type { CheckedParts } from "./parts.ts";
import { corrupt, isDigest, isId } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** What a run that goes on must still be able to count up. */
const countMax = Number.MAX_SAFE_INTEGER;

/** The header's own ids and digests have the right form, and it names its root scope (REC-2, REC-17). */
export function headerProblems(record: RunRecord, runId: string): readonly RecordProblem[] {
  const { header, scopes, attempts } = record;
  const { keyIds = [], codecKeys = {}, status } = header;
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
  for (const field of ["revision", "resumes"] as const) {
    // A run that has ended is saved no more; any other must be able to count up (STORE-3).
    if (status === "running" && header[field] >= countMax) report(field, "cannot be counted up any more");
  }
  if (new Set(keyIds).size !== keyIds.length) report("keyIds", "names one twice");
  if (keyIds.includes("")) report("keyIds", "has an empty one");
  if (Object.values(codecKeys).some((keyId) => !keyIds.includes(keyId))) {
    report("codecKeys", "names a key that keyIds does not have");
  }
  if (header.failure !== undefined && status !== "failed") report("failure", `is there, but the run is ${status}`);
  // Else the parent chains could pass through the root.
  if (attempts.has(header.rootScope)) report("rootScope", "is also the id of an attempt");
  return problems;
}

/** The status is what the root scope's nodes and attempts decide; without a definition, as far as those tell. */
export function statusProblems({ record, definition }: CheckedParts): readonly RecordProblem[] {
  const { header, nodes, attempts } = record;
  let failed = false;
  for (const attempt of attempts.values()) {
    failed ||= attempt.parent === header.rootScope && attempt.boundary === "" && attempt.state === "failed";
  }
  const rootNodes = definition?.graph("")?.nodes ?? new Map<string, unknown>();
  const completed = [...rootNodes.keys()].every((nodeId) => nodes.has(idsKey(header.rootScope, nodeId)));
  const running = definition === undefined && header.status !== "failed" ? header.status : "running";
  const status = failed ? "failed" : completed && definition !== undefined ? "completed" : running;
  if (status === header.status) return [];
  return [corrupt(headerKey, "status", `is ${header.status}, but the root scope's nodes say ${status}`)];
}
