import { idsKey, parseIds, streamKey } from "../record/entry-key.ts";
import type { ReadyValue, StreamEntry } from "../record/format.ts";
import { codecProblem } from "./codecs.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt, isId, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import { groupOf, writtenKey } from "./sources.ts";
import type { SourceParts } from "./sources.ts";

/**
 * Each group's account of a stream is one in itself, agrees with the others of its stream, and is of a stream that its
 * writing node makes (REC-11, REC-20, REC-29). What is checked of streams later relies on it.
 */
export function streamGroupProblems(
  parts: CheckedParts,
  sources: ReadonlyMap<string, SourceParts>,
): readonly RecordProblem[] {
  const { record } = parts;
  const problems: RecordProblem[] = [];
  for (const [ids, entry] of record.streams) {
    const key = `stream/${ids}`;
    addAll(problems, identityProblems(parts, key, ids, entry));
    addAll(problems, countProblems(parts, key, entry));
    addAll(problems, sequenceProblems(key, entry));
  }
  const places = new Map<string, string>();
  for (const source of sources.values()) {
    const { key, first, sourceId } = source;
    addAll(problems, definitionProblems(parts, source));
    addAll(problems, differences(source));
    const place = idsKey(first.scope, first.nodeId, first.key);
    const other = places.get(place);
    places.set(place, sourceId);
    if (other === undefined) continue;
    problems.push(corrupt(key, "sourceId", `is another than ${other}, as which the node has opened the same stream`));
  }
  return problems;
}

/** The ids of its key, and a root attempt of the node that it says it is of. */
function identityProblems(
  { record }: CheckedParts,
  key: string,
  ids: string,
  entry: StreamEntry,
): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  // The shapes were checked: there are two ids.
  const [sourceId, group] = parseIds("stream", ids) as [string, string];
  const { scope, nodeId, attempt: attemptId } = entry;
  if (entry.sourceId !== sourceId) problems.push(corrupt(key, "sourceId", `is ${JSON.stringify(entry.sourceId)}`));
  if (entry.group !== group) problems.push(corrupt(key, "group", `is ${JSON.stringify(entry.group)}`));
  if (!isId(sourceId)) problems.push(corrupt(key, "sourceId", "has the wrong form"));
  if (!record.scopes.has(scope)) problems.push(corrupt(key, "scope", `${scope} is missing`));
  const attempt = record.attempts.get(attemptId);
  if (attempt === undefined) problems.push(corrupt(key, "attempt", `${attemptId} is missing`));
  else if (attempt.boundary !== "" || attempt.parent !== scope || attempt.nodeId !== nodeId) {
    const node = JSON.stringify(nodeId);
    problems.push(corrupt(key, "attempt", `${attemptId} is no root attempt of the node ${node} in its scope`));
  }
  return problems;
}

/** Generations come with resumes, positions with messages. */
function countProblems({ record }: CheckedParts, key: string, entry: StreamEntry): readonly RecordProblem[] {
  const { generation, cursor, lastSequence } = entry;
  const { resumes } = record.header;
  const problems: RecordProblem[] = [];
  if (generation < 1) problems.push(corrupt(key, "generation", `${generation} is below 1`));
  if (generation > resumes + 1) {
    problems.push(corrupt(key, "generation", `${generation} is from the future: the run was resumed ${resumes} times`));
  }
  if (cursor === undefined) return problems;
  if (cursor.name !== entry.key) problems.push(corrupt(key, "cursor", `is named ${JSON.stringify(cursor.name)}`));
  if (lastSequence === 0) problems.push(corrupt(key, "cursor", "is there, but no message with which it was saved"));
  return problems;
}

/** Frontier and pending are exactly what is acknowledged and what is not (REC-20). */
function sequenceProblems(key: string, entry: StreamEntry): readonly RecordProblem[] {
  const { ackedThrough, lastSequence, pending, stopped } = entry;
  if (ackedThrough < 0 || ackedThrough > lastSequence) {
    return [corrupt(key, "ackedThrough", `${ackedThrough} is not from 0 to the last sequence ${lastSequence}`)];
  }
  if (stopped) return pending.length === 0 ? [] : [corrupt(key, "pending", "has something, but the group has stopped")];
  let before = ackedThrough - 1;
  for (const [first, last] of pending) {
    // Runs that touch are one.
    if (first > last || first < before + 2 || last > lastSequence) {
      return [
        corrupt(
          key,
          "pending",
          `[${first}, ${last}] is out of order, or not above ${ackedThrough} and up to ${lastSequence}`,
        ),
      ];
    }
    before = last;
  }
  const expected = ackedThrough === lastSequence ? undefined : ackedThrough + 1;
  const begin = pending[0]?.[0];
  if (begin === expected) return [];
  return [
    corrupt(key, "pending", `begins with ${begin ?? "nothing"}, where the frontier says ${expected ?? "nothing"}`),
  ];
}

/** The definition's node writes this stream, so; and each node that reads it has its group. */
function definitionProblems(parts: CheckedParts, { sourceId, groups, written }: SourceParts): readonly RecordProblem[] {
  const { record, definition } = parts;
  if (definition === undefined) return [];
  const problems: RecordProblem[] = [];
  for (const entry of groups) {
    const key = streamKey(sourceId, entry.group);
    const stream = writtenKey(parts, entry)?.stream;
    if (stream === undefined) {
      const node = nodeAt(record.scopes.get(entry.scope)?.path ?? "", entry.nodeId);
      problems.push(otherDefinition(key, "key", `${JSON.stringify(entry.key)} is no stream that ${node} writes`));
      continue;
    }
    for (const field of ["capacity", "resumable"] as const) {
      if (stream[field] === entry[field]) continue;
      problems.push(otherDefinition(key, field, `is ${entry[field]}, that of the definition ${stream[field]}`));
    }
    if (entry.cursor === undefined || stream.position === undefined) continue;
    const other = codecProblem(key, "cursor", entry.cursor, stream.position);
    if (other !== undefined) problems.push(other);
  }
  for (const { path, nodeId, group } of written?.stream.readers ?? []) {
    if (groupOf(record, sourceId, group) !== undefined) continue;
    problems.push(
      corrupt(streamKey(sourceId, group), "", `is missing, but ${nodeAt(path, nodeId)} reads in this group`),
    );
  }
  return problems;
}

/** What all groups of one stream share (REC-29). */
const shared = [
  "scope",
  "nodeId",
  "key",
  "attempt",
  "generation",
  "capacity",
  "resumable",
  "lastSequence",
  "end",
] as const satisfies readonly (keyof StreamEntry)[];

function differences({ sourceId, first, groups }: SourceParts): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  for (const entry of groups) {
    if (entry === first) continue;
    const key = streamKey(sourceId, entry.group);
    for (const field of shared) {
      if (entry[field] === first[field]) continue;
      problems.push(corrupt(key, field, `is ${entry[field]}, that of the group ${named(first)} ${first[field]}`));
    }
    if (!isSame(entry.cursor, first.cursor)) {
      problems.push(corrupt(key, "cursor", `is not that of the group ${named(first)}`));
    }
  }
  return problems;
}

function isSame(one: ReadyValue | undefined, other: ReadyValue | undefined): boolean {
  return one?.digest === other?.digest && one?.codec === other?.codec && one?.codecVersion === other?.codecVersion;
}

const named = ({ group }: StreamEntry): string => JSON.stringify(group);
