import { parseIds } from "../record/entry-key.ts";
import type { NodeEntry, RunRecord, ValueRecord } from "../record/format.ts";
import { codecProblem } from "./codecs.ts";
import type { KeyView, NodeView } from "./definition-view.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import { providerSearch } from "./providers.ts";

/** Node entries have their confirmed root attempt, cover what they provide, and close over what they needed (REC-7, REC-19). */
export function nodeProblems(parts: CheckedParts): readonly RecordProblem[] {
  const { record, definition } = parts;
  const problems: RecordProblem[] = [];
  const missingProvider = providerSearch(parts);
  for (const [ids, entry] of record.nodes) {
    const key = `node/${ids}`;
    // The shapes were checked: there are two ids.
    const [scopeId, nodeId] = parseIds("node", ids) as [string, string];
    if (entry.nodeId !== nodeId) problems.push(corrupt(key, "nodeId", `is ${JSON.stringify(entry.nodeId)}`));
    addAll(problems, attemptProblems(record, key, scopeId, entry));
    addAll(problems, stateProblems(key, entry));
    const scope = record.scopes.get(scopeId);
    if (scope === undefined) {
      problems.push(corrupt(key, "", `its scope ${scopeId} is missing`));
      continue;
    }
    if (definition === undefined) continue;
    const node = definition.graph(scope.path)?.nodes.get(nodeId);
    if (node === undefined) {
      problems.push(otherDefinition(key, "", `the definition does not have ${nodeAt(scope.path, nodeId)}`));
      continue;
    }
    addAll(problems, outputProblems(node, key, entry));
    for (const needed of node.requires) {
      const missing = missingProvider(scopeId, needed);
      if (missing !== undefined) {
        problems.push(corrupt(key, "", `it needed ${JSON.stringify(needed)}, but ${missing} is not confirmed`));
      }
    }
  }
  return problems;
}

function attemptProblems(record: RunRecord, key: string, scope: string, entry: NodeEntry): readonly RecordProblem[] {
  const attempt = record.attempts.get(entry.attempt);
  if (attempt === undefined) return [corrupt(key, "attempt", `${entry.attempt} is missing`)];
  if (attempt.boundary !== "" || attempt.parent !== scope || attempt.nodeId !== entry.nodeId) {
    return [corrupt(key, "attempt", `${entry.attempt} is no root attempt of this node`)];
  }
  return attempt.state === "confirmed" ? [] : [corrupt(key, "attempt", `${entry.attempt} is ${attempt.state}`)];
}

/** No name twice; a skipped node has nothing ready (REC-7). */
function stateProblems(key: string, entry: NodeEntry): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const seen = new Set<string>();
  for (const { name, state } of entry.outputs) {
    const field = `outputs ${JSON.stringify(name)}`;
    if (seen.has(name)) problems.push(corrupt(key, field, "is there twice"));
    if (entry.reason === "skipped" && state !== "skipped") {
      problems.push(corrupt(key, field, `is ${state}, but the node was skipped`));
    }
    seen.add(name);
  }
  return problems;
}

function outputProblems(node: NodeView, key: string, entry: NodeEntry): readonly RecordProblem[] {
  if (isAsProvided(node.provides, entry.outputs)) return [];
  const problems: RecordProblem[] = [];
  const rest = new Map(node.provides.map((provided) => [provided.name, provided]));
  const all = new Set(rest.keys());
  for (const output of entry.outputs) {
    const field = `outputs ${JSON.stringify(output.name)}`;
    const provided = rest.get(output.name);
    if (!all.has(output.name)) problems.push(otherDefinition(key, field, "is no key that the node provides"));
    else if (provided === undefined) continue;
    else if (!isOfKind(provided, output)) {
      const plain = provided.stream === undefined;
      const wrong = plain
        ? "is a stream, where the key is a plain value"
        : "is a plain value, where the key is a stream";
      problems.push(corrupt(key, field, wrong));
    } else {
      const other = codecProblem(key, field, output, provided);
      if (other !== undefined) problems.push(other);
    }
    rest.delete(output.name);
  }
  for (const name of rest.keys()) {
    problems.push(corrupt(key, "outputs", `${JSON.stringify(name)} is missing`));
  }
  return problems;
}

/** A stream stands where the key is one, a plain value where it is none; both may be skipped (STR-38). */
function isOfKind({ stream }: KeyView, { state }: ValueRecord): boolean {
  return state === "skipped" || (state === "stream") === (stream !== undefined);
}

/** As it is nearly always: in the order of the definition. */
function isAsProvided(provides: readonly KeyView[], outputs: readonly ValueRecord[]): boolean {
  if (provides.length !== outputs.length) return false;
  return outputs.every((output, at) => {
    const provided = provides[at];
    return (
      provided?.name === output.name &&
      provided.codec === output.codec &&
      provided.codecVersion === output.codecVersion &&
      isOfKind(provided, output)
    );
  });
}
