import { attemptKey, idsKey } from "../record/entry-key.ts";
import type { AttemptEntry, RunRecord } from "../record/format.ts";
import type { DefinitionView, NodeView } from "./definition-view.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt, isId, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import { providerSearch } from "./providers.ts";

/**
 * Attempts agree with each other, with their scopes and nodes, and with the definition (REC-4 to REC-6). A plain node is
 * tried only when all that it needs is confirmed (CKPT-4), so that is there too (REC-19).
 */
export function attemptProblems(parts: CheckedParts): readonly RecordProblem[] {
  const { record, definition, scopeOf } = parts;
  const problems: RecordProblem[] = [];
  const places = new Map<string, NamedAttempt[]>();
  for (const [id, entry] of record.attempts) {
    if (!isId(id)) problems.push(corrupt(attemptKey(id), "", "its id has the wrong form"));
    addAll(problems, (entry.boundary === "" ? rootProblems : retryProblems)(record, id, entry));
    // Node ids and boundaries may hold any character; the length makes the parts tell apart.
    const place = `${entry.parent}/${entry.boundary.length}/${entry.boundary}/${entry.nodeId}`;
    const attempts = places.get(place);
    if (attempts === undefined) places.set(place, [[id, entry]]);
    else attempts.push([id, entry]);
  }
  for (const attempts of places.values()) addAll(problems, placeProblems(attempts));

  if (definition === undefined) return problems;
  const missingProvider = providerSearch(parts);
  for (const [id, entry] of record.attempts) {
    const scope = scopeOf.get(id);
    const path = scope === undefined ? undefined : record.scopes.get(scope)?.path;
    if (scope === undefined || path === undefined) continue;
    addAll(problems, definitionProblems(definition, record, id, entry, path));
    // Of a confirmed one its node's entry is checked.
    if (entry.boundary !== "" || entry.state === "confirmed") continue;
    for (const needed of definition.graph(path)?.nodes.get(entry.nodeId)?.requires ?? []) {
      const missing = missingProvider(scope, needed);
      if (missing === undefined) continue;
      problems.push(
        corrupt(attemptKey(id), "", `it needed ${JSON.stringify(needed)}, but ${missing} is not confirmed`),
      );
    }
  }
  return problems;
}

function rootProblems(record: RunRecord, id: string, entry: AttemptEntry): readonly RecordProblem[] {
  const { parent, nodeId, index, limit } = entry;
  const unnamed = entry.state === "confirmed" && record.nodes.get(idsKey(parent, nodeId))?.attempt !== id;
  if (record.scopes.has(parent) && index === 1 && limit === 1 && !unnamed) return none;
  const problems: RecordProblem[] = [];
  const key = attemptKey(id);
  if (!record.scopes.has(parent)) problems.push(corrupt(key, "parent", `is the scope ${parent}, which is missing`));
  if (index !== 1) problems.push(corrupt(key, "index", "of a root attempt is not 1"));
  if (limit !== 1) problems.push(corrupt(key, "limit", "of a root attempt is not 1"));
  if (unnamed) {
    problems.push(corrupt(key, "state", `is confirmed, but no entry of node ${JSON.stringify(nodeId)} names it`));
  }
  return problems;
}

function retryProblems(record: RunRecord, id: string, entry: AttemptEntry): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const key = attemptKey(id);
  const outer = record.attempts.get(entry.parent);
  if (outer === undefined) problems.push(corrupt(key, "parent", `is the attempt ${entry.parent}, which is missing`));
  else if (outer.nodeId !== entry.nodeId) {
    problems.push(corrupt(key, "parent", `is an attempt of the node ${JSON.stringify(outer.nodeId)}`));
  } else if (record.scopes.has(entry.parent)) {
    problems.push(corrupt(key, "parent", "has a child scope, which only the deepest attempt has"));
  }
  if (entry.state === "confirmed") problems.push(corrupt(key, "state", "is confirmed, which only a root attempt is"));
  return problems;
}

const none: readonly RecordProblem[] = [];

type NamedAttempt = readonly [id: string, entry: AttemptEntry];

/** The attempts of one place: contiguous from 1, one limit, every earlier one failed (REC-5). */
function placeProblems(attempts: readonly NamedAttempt[]): readonly RecordProblem[] {
  // Most places have a root attempt and no more.
  if (attempts.length === 1 && attempts[0]?.[1].index === 1) return none;
  const problems: RecordProblem[] = [];
  const indices = new Map<number, AttemptEntry>();
  for (const [id, entry] of attempts) {
    if (indices.has(entry.index)) problems.push(corrupt(attemptKey(id), "index", `${entry.index} is there twice`));
    indices.set(entry.index, entry);
  }
  const first = indices.get(1);
  for (const [id, entry] of attempts) {
    const { index, limit } = entry;
    const key = attemptKey(id);
    const earlier = indices.get(index - 1);
    if (index > limit) problems.push(corrupt(key, "index", `${index} is over the limit ${limit}`));
    if (index > 1 && earlier === undefined) {
      problems.push(corrupt(key, "index", `is ${index}, but there is no attempt ${index - 1}`));
    } else if (earlier !== undefined && earlier.state !== "failed") {
      problems.push(corrupt(key, "index", `is ${index}, but attempt ${index - 1} has not failed`));
    }
    if (first !== undefined && first.limit !== limit) {
      problems.push(corrupt(key, "limit", `is ${limit}, that of the first attempt ${first.limit}`));
    }
  }
  return problems;
}

function definitionProblems(
  definition: DefinitionView,
  record: RunRecord,
  id: string,
  entry: AttemptEntry,
  path: string,
): readonly RecordProblem[] {
  const node = definition.graph(path)?.nodes.get(entry.nodeId);
  const key = attemptKey(id);
  if (node === undefined) {
    return [otherDefinition(key, "nodeId", `names ${nodeAt(path, entry.nodeId)}, which the definition does not have`)];
  }
  const problems = entry.boundary === "" ? [] : boundaryProblems(node, record, key, entry, path);
  const innermost = node.boundaries.at(-1)?.boundary ?? "";
  if (!record.scopes.has(id) || entry.boundary === innermost) return problems;
  const at = JSON.stringify(entry.boundary);
  return [...problems, corrupt(key, "boundary", `is ${at}, but a child scope stands at ${JSON.stringify(innermost)}`)];
}

function boundaryProblems(
  node: NodeView,
  record: RunRecord,
  key: string,
  entry: AttemptEntry,
  path: string,
): readonly RecordProblem[] {
  const depth = node.boundaries.findIndex(({ boundary }) => boundary === entry.boundary);
  const found = node.boundaries[depth];
  if (found === undefined) {
    const place = `${JSON.stringify(entry.boundary)} of ${nodeAt(path, entry.nodeId)}`;
    return [otherDefinition(key, "boundary", `is the retry ${place}, which the definition does not have`)];
  }
  const problems: RecordProblem[] = [];
  if (found.limit !== entry.limit) {
    problems.push(otherDefinition(key, "limit", `is ${entry.limit}, that of the definition ${found.limit}`));
  }
  const around = depth === 0 ? "" : (node.boundaries[depth - 1]?.boundary ?? "");
  const outer = record.attempts.get(entry.parent);
  if (outer !== undefined && outer.boundary !== around) {
    problems.push(
      corrupt(key, "parent", `stands at ${JSON.stringify(outer.boundary)}, not at ${JSON.stringify(around)}`),
    );
  }
  return problems;
}
