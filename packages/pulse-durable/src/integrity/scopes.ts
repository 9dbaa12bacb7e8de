import { scopeKey } from "../record/entry-key.ts";
import type { ScopeEntry } from "../record/format.ts";
import type { ChildView, DefinitionView } from "./definition-view.ts";
import { inputsSearch } from "./scope-inputs.ts";
import type { GivenInputs } from "./scope-inputs.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt, isDigest, isId, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/**
 * Scopes belong to an attempt of their mount, are of the graph that the definition mounts there, and were opened with its
 * fixed values and bindings (REC-2, REC-3, REC-18). `given`: the root inputs of the call, which the older fingerprints of
 * scopes cover; without them those are not checked.
 */
export function scopeProblems(parts: CheckedParts, given?: GivenInputs): readonly RecordProblem[] {
  const { record, definition, scopeOf } = parts;
  const problems: RecordProblem[] = [];
  const inputsOf = inputsSearch(parts, given);
  for (const [id, scope] of record.scopes) {
    const key = scopeKey(id);
    if (!isId(id)) problems.push(corrupt(key, "", "its id has the wrong form"));
    if (!isDigest(scope.inputs)) problems.push(corrupt(key, "inputs", "is no SHA-256 in hex"));
    const found = id === record.header.rootScope ? rootProblems(key, scope) : childProblems(id, scope);
    addAll(problems, found);
    if (definition !== undefined) addAll(problems, graphProblems(definition, key, scope));
  }
  return problems;

  function childProblems(id: string, scope: ScopeEntry): readonly RecordProblem[] {
    const key = scopeKey(id);
    const attempt = record.attempts.get(id);
    if (attempt === undefined) return [corrupt(key, "", "there is no attempt with its id")];
    const parent = record.scopes.get(scopeOf.get(id) ?? "");
    // A chain that does not end is reported where it breaks.
    if (parent === undefined || definition === undefined) return [];
    const child = definition.graph(parent.path)?.nodes.get(attempt.nodeId)?.child;
    if (child === undefined) {
      return [otherDefinition(key, "", `its attempt is of ${nodeAt(parent.path, attempt.nodeId)}, which is no mount`)];
    }
    if (child.path !== scope.path) {
      const [found, expected] = [scope.path, child.path].map((path) => JSON.stringify(path));
      return [corrupt(key, "path", `is ${found}, its mount stands at ${expected}`)];
    }
    const inputs = scope.bindings === true ? child.fingerprint : inputsOf(id, child);
    if (inputs === undefined && given !== undefined) {
      return [corrupt(key, "inputs", "are not all confirmed in the scope around, but it was opened with their values")];
    }
    if (inputs === undefined || inputs === scope.inputs) return [];
    return [otherInputs(id, scope, child, inputs)];
  }
}

function otherInputs(id: string, { inputs }: ScopeEntry, child: ChildView, found: string): RecordProblem {
  const covered = child.inputs.filter(({ kind }) => kind !== "none").map(({ name }) => name);
  const key = covered.join(", ");
  return {
    kind: "scope",
    where: `${scopeKey(id)} inputs`,
    problem: `(${key}) are not those that ${nodeAt("", child.path)} gives its child`,
    expected: inputs,
    found,
    key,
    scope: id,
    path: child.path,
  };
}

function rootProblems(key: string, scope: ScopeEntry): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  if (scope.path !== "") problems.push(corrupt(key, "path", "of the root scope is not empty"));
  if (scope.bindings === true) problems.push(corrupt(key, "bindings", "of the root scope is true; it has no mount"));
  return problems;
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
