import { idsKey, parseIds } from "../record/entry-key.ts";
import type { NodeEntry, RunRecord, ValueRecord } from "../record/format.ts";
import type { DefinitionView, KeyView, NodeView } from "./definition-view.ts";
import { corrupt, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** Node entries have their confirmed root attempt, cover what they provide, and close over what they needed (REC-7, REC-19). */
export function nodeProblems(
  record: RunRecord,
  definition: DefinitionView,
  scopeOf: ReadonlyMap<string, string>,
): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const missingProvider = providerSearch(record, definition, scopeOf);
  for (const [ids, entry] of record.nodes) {
    const key = `node/${ids}`;
    // The shapes were checked: there are two ids.
    const [scopeId, nodeId] = parseIds("node", ids) as [string, string];
    if (entry.nodeId !== nodeId) problems.push(corrupt(key, "nodeId", `is ${JSON.stringify(entry.nodeId)}`));
    problems.push(...attemptProblems(record, key, scopeId, entry));
    const scope = record.scopes.get(scopeId);
    if (scope === undefined) {
      problems.push(corrupt(key, "", `its scope ${scopeId} is missing`));
      continue;
    }
    const node = definition.graph(scope.path)?.nodes.get(nodeId);
    if (node === undefined) {
      problems.push(otherDefinition(key, "", `the definition does not have ${nodeAt(scope.path, nodeId)}`));
      continue;
    }
    problems.push(...outputProblems(node, key, entry));
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

function outputProblems(node: NodeView, key: string, entry: NodeEntry): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const rest = new Map(node.provides.map((provided) => [provided.name, provided]));
  const seen = new Set<string>();
  for (const output of entry.outputs) {
    const field = `outputs ${JSON.stringify(output.name)}`;
    const provided = rest.get(output.name);
    if (seen.has(output.name)) problems.push(corrupt(key, field, "is there twice"));
    else if (provided === undefined) problems.push(otherDefinition(key, field, "is no key that the node provides"));
    else if (provided.codec !== output.codec || provided.codecVersion !== output.codecVersion) {
      problems.push(otherCodec(key, output, provided));
    }
    seen.add(output.name);
    rest.delete(output.name);
  }
  for (const name of rest.keys()) {
    problems.push(corrupt(key, "outputs", `${JSON.stringify(name)} is missing`));
  }
  return problems;
}

function otherCodec(key: string, output: ValueRecord, provided: KeyView): RecordProblem {
  const [expected, found] = [output, provided].map((has) => `${has.codec} version ${has.codecVersion}`) as [
    string,
    string,
  ];
  return {
    kind: "codec",
    where: `${key} outputs ${JSON.stringify(output.name)} codec`,
    problem: `is ${expected}, that of the definition ${found}`,
    expected,
    found,
    key: output.name,
  };
}

/** Finds what had to be confirmed for a key, and is not: the node's place, or nothing. */
type MissingProvider = (scope: string, key: string) => string | undefined;

/** Follows keys outwards through the mounts that bind them; what was followed once is remembered. */
function providerSearch(
  record: RunRecord,
  definition: DefinitionView,
  scopeOf: ReadonlyMap<string, string>,
): MissingProvider {
  const known = new Map<string, string | undefined>();

  const look = (scope: string, key: string): string | undefined | { readonly scope: string; readonly key: string } => {
    const path = record.scopes.get(scope)?.path;
    const provider = path === undefined ? undefined : definition.graph(path)?.providers.get(key);
    if (path === undefined || provider === undefined || provider.kind === "given") return undefined;
    if (provider.kind === "node") {
      return record.nodes.has(idsKey(scope, provider.nodeId)) ? undefined : nodeAt(path, provider.nodeId);
    }
    const outer = scopeOf.get(scope);
    // A scope whose chain breaks is reported there.
    return outer === undefined ? undefined : { scope: outer, key: provider.key };
  };

  return (fromScope, fromKey) => {
    const followed: string[] = [];
    let at = { scope: fromScope, key: fromKey };
    for (;;) {
      const place = `${at.scope}/${at.key}`;
      const found = known.has(place) ? known.get(place) : look(at.scope, at.key);
      followed.push(place);
      if (typeof found === "object") {
        at = found;
        continue;
      }
      for (const each of followed) known.set(each, found);
      return found;
    }
  };
}
