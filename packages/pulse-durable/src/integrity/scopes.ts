import { scopeKey } from "../record/entry-key.ts";
import type { RunRecord, ScopeEntry } from "../record/format.ts";
import type { DefinitionView } from "./definition-view.ts";
import { corrupt, isDigest, isId, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** Scopes belong to an attempt of their mount and are of the graph that the definition mounts there (REC-2, REC-18). */
export function scopeProblems(
  record: RunRecord,
  definition: DefinitionView,
  scopeOf: ReadonlyMap<string, string>,
): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  for (const [id, scope] of record.scopes) {
    const key = scopeKey(id);
    if (!isId(id)) problems.push(corrupt(key, "", "its id has the wrong form"));
    if (!isDigest(scope.inputs)) problems.push(corrupt(key, "inputs", "is no SHA-256 in hex"));
    const found = id === record.header.rootScope ? rootProblems(key, scope) : childProblems(id, scope);
    problems.push(...found, ...graphProblems(definition, key, scope));
  }
  return problems;

  function childProblems(id: string, scope: ScopeEntry): readonly RecordProblem[] {
    const key = scopeKey(id);
    const attempt = record.attempts.get(id);
    if (attempt === undefined) return [corrupt(key, "", "there is no attempt with its id")];
    const parent = record.scopes.get(scopeOf.get(id) ?? "");
    // A chain that does not end is reported where it breaks.
    if (parent === undefined) return [];
    const path = definition.graph(parent.path)?.nodes.get(attempt.nodeId)?.child;
    if (path === undefined) {
      return [otherDefinition(key, "", `its attempt is of ${nodeAt(parent.path, attempt.nodeId)}, which is no mount`)];
    }
    if (path === scope.path) return [];
    return [corrupt(key, "path", `is ${JSON.stringify(scope.path)}, its mount stands at ${JSON.stringify(path)}`)];
  }
}

function rootProblems(key: string, scope: ScopeEntry): readonly RecordProblem[] {
  return scope.path === "" ? [] : [corrupt(key, "path", "of the root scope is not empty")];
}

function graphProblems(definition: DefinitionView, key: string, scope: ScopeEntry): readonly RecordProblem[] {
  const graph = definition.graph(scope.path);
  if (graph === undefined) {
    return [otherDefinition(key, "path", `is ${JSON.stringify(scope.path)}, where the definition has no graph`)];
  }
  if (graph.graph === scope.graph) return [];
  return [
    otherDefinition(
      key,
      "graph",
      `is ${JSON.stringify(scope.graph)}, that of the definition ${JSON.stringify(graph.graph)}`,
    ),
  ];
}
