import { attemptKey, idsKey } from "../record/entry-key.ts";
import type { AttemptEntry, RunRecord } from "../record/format.ts";
import type { DefinitionView, NodeView } from "./definition-view.ts";
import type { CheckedParts } from "./parts.ts";
import { corrupt, isId, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import { providerSearch } from "./providers.ts";

/**
 * Attempts agree with each other, with their scopes and nodes, and with the definition (REC-4 to REC-6). A plain node is
 * tried only when all that it needs is confirmed (CKPT-4), so that is there too (REC-19).
 */
export function attemptProblems(parts: CheckedParts): readonly RecordProblem[] {
  const { record, definition, scopeOf } = parts;
  const problems: RecordProblem[] = [];
  const places = new Map<string, Map<number, readonly [string, AttemptEntry]>>();
  for (const [id, entry] of record.attempts) {
    if (!isId(id)) problems.push(corrupt(attemptKey(id), "", "its id has the wrong form"));
    problems.push(...(entry.boundary === "" ? rootProblems : retryProblems)(record, id, entry));
    // Node ids and boundaries may hold any character; the length makes the parts tell apart.
    const place = `${entry.parent}/${entry.boundary.length}/${entry.boundary}/${entry.nodeId}`;
    const indices = places.get(place) ?? new Map<number, readonly [string, AttemptEntry]>();
    if (indices.has(entry.index)) problems.push(corrupt(attemptKey(id), "index", `${entry.index} is there twice`));
    places.set(place, indices.set(entry.index, [id, entry]));
  }
  for (const indices of places.values()) problems.push(...placeProblems(indices));

  if (definition === undefined) return problems;
  const missingProvider = providerSearch(parts);
  for (const [id, entry] of record.attempts) {
    const scope = scopeOf.get(id);
    const path = scope === undefined ? undefined : record.scopes.get(scope)?.path;
    if (scope === undefined || path === undefined) continue;
    problems.push(...definitionProblems(definition, record, id, entry, path));
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
  const problems: RecordProblem[] = [];
  const key = attemptKey(id);
  if (!record.scopes.has(entry.parent))
    problems.push(corrupt(key, "parent", `is the scope ${entry.parent}, which is missing`));
  if (entry.index !== 1) problems.push(corrupt(key, "index", "of a root attempt is not 1"));
  if (entry.limit !== 1) problems.push(corrupt(key, "limit", "of a root attempt is not 1"));
  if (entry.state === "confirmed" && record.nodes.get(idsKey(entry.parent, entry.nodeId))?.attempt !== id) {
    problems.push(corrupt(key, "state", `is confirmed, but no entry of node ${JSON.stringify(entry.nodeId)} names it`));
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

/** The attempts of one place: contiguous from 1, one limit, every earlier one failed (REC-5). */
function placeProblems(indices: ReadonlyMap<number, readonly [string, AttemptEntry]>): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const first = indices.get(1)?.[1];
  for (const [id, entry] of indices.values()) {
    const key = attemptKey(id);
    const earlier = indices.get(entry.index - 1)?.[1];
    if (entry.index > entry.limit)
      problems.push(corrupt(key, "index", `${entry.index} is over the limit ${entry.limit}`));
    if (entry.index > 1 && earlier === undefined) {
      problems.push(corrupt(key, "index", `is ${entry.index}, but there is no attempt ${entry.index - 1}`));
    } else if (earlier !== undefined && earlier.state !== "failed") {
      problems.push(corrupt(key, "index", `is ${entry.index}, but attempt ${entry.index - 1} has not failed`));
    }
    if (first !== undefined && first.limit !== entry.limit) {
      problems.push(corrupt(key, "limit", `is ${entry.limit}, that of the first attempt ${first.limit}`));
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
