import { idsKey, parseIds } from "../record/entry-key.ts";
import type { StreamEntry, TryEntry } from "../record/format.ts";
import { hasSequence } from "../record/sequence-runs.ts";
import { inOneInstance } from "./instances.ts";
import { keyNumber } from "./numbers.ts";
import type { CheckedParts } from "./parts.ts";
import { addAll, corrupt, nodeAt, otherDefinition } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import type { SourceParts } from "./sources.ts";

/** One try, by its key. */
interface KeyedTry {
  readonly key: string;
  readonly index: number;
  readonly entry: TryEntry;
}

export interface CheckedTries {
  readonly problems: readonly RecordProblem[];
  /** The keys in `record.managed` of the nodes that have a confirmed try (REC-22). */
  readonly confirmed: ReadonlySet<string>;
}

/** Message attempts are of a node that reads in their group, and count its budget for one message (REC-12, REC-22). */
export function messageTries(parts: CheckedParts, sources: ReadonlyMap<string, SourceParts>): CheckedTries {
  const { record } = parts;
  const problems: RecordProblem[] = [];
  const confirmed = new Set<string>();
  const messages = new Map<string, KeyedTry[]>();
  for (const [ids, entry] of record.tries) {
    const key = `try/${ids}`;
    // The shapes were checked: there are six ids.
    const [sourceId, group, at, nodeId, parent, number] = parseIds("try", ids) as Six;
    const [sequence, index] = [keyNumber(at), keyNumber(number)];
    if (sequence === undefined) problems.push(corrupt(key, "", `${JSON.stringify(at)} is no sequence`));
    if (index === undefined) problems.push(corrupt(key, "", `${JSON.stringify(number)} is no index`));
    else {
      const place = ids.slice(0, ids.lastIndexOf("/"));
      const tries = messages.get(place);
      if (tries === undefined) messages.set(place, [{ key, index, entry }]);
      else tries.push({ key, index, entry });
    }
    const source = sources.get(sourceId);
    const account = record.streams.get(idsKey(sourceId, group));
    if (source === undefined || account === undefined) {
      problems.push(corrupt(key, "", `the record has no such group of the stream ${sourceId}`));
      continue;
    }
    if (sequence !== undefined) addAll(problems, sequenceProblems(key, sequence, entry, account));
    const scope = handlerScope(parts, nodeId, parent);
    if (scope === undefined) {
      problems.push(corrupt(key, "", `${parent} is no root attempt of the node ${JSON.stringify(nodeId)}`));
      continue;
    }
    addAll(problems, readerProblems(parts, key, source, { scope, nodeId, group }));
    if (entry.state !== "confirmed") continue;
    const managed = idsKey(scope, parent, nodeId);
    confirmed.add(managed);
    if (record.managed.has(managed)) continue;
    problems.push(corrupt(key, "state", `is confirmed, but there is no managed/${managed}`));
  }
  for (const tries of messages.values()) addAll(problems, budgetProblems(tries));
  return { problems, confirmed };
}

type Six = [sourceId: string, group: string, sequence: string, nodeId: string, parent: string, index: string];

/** The scope of a root attempt, if it is one of the node. */
export function handlerScope({ record }: CheckedParts, nodeId: string, parent: string): string | undefined {
  const attempt = record.attempts.get(parent);
  return attempt?.boundary === "" && attempt.nodeId === nodeId ? attempt.parent : undefined;
}

function sequenceProblems(
  key: string,
  sequence: number,
  { state }: TryEntry,
  { lastSequence, pending }: StreamEntry,
): readonly RecordProblem[] {
  if (sequence > lastSequence) return [corrupt(key, "", `its stream's last sequence is ${lastSequence}`)];
  // It was acknowledged in the save that confirmed it (REC-14).
  if (state !== "confirmed" || !hasSequence(pending, sequence)) return [];
  return [corrupt(key, "state", "is confirmed, but its group has the message pending")];
}

interface Handler {
  readonly scope: string;
  readonly nodeId: string;
  readonly group: string;
}

/** The definition's node reads this stream in this group. */
function readerProblems(
  parts: CheckedParts,
  key: string,
  { first, written }: SourceParts,
  { scope, nodeId, group }: Handler,
): readonly RecordProblem[] {
  if (written === undefined) return [];
  const path = parts.record.scopes.get(scope)?.path ?? "";
  const reads = written.stream.readers.some(
    (reader) => reader.path === path && reader.nodeId === nodeId && reader.group === group,
  );
  if (!reads) {
    const place = `${nodeAt(path, nodeId)} does not read ${JSON.stringify(first.key)} in the group`;
    return [otherDefinition(key, "", `${place} ${JSON.stringify(group)}`)];
  }
  return inOneInstance(parts, scope, first.scope)
    ? []
    : [corrupt(key, "", "its node reads another stream of this key")];
}

/** The tries of one message: contiguous, one limit, only the last not failed (REC-12). */
function budgetProblems(tries: readonly KeyedTry[]): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const byIndex = tries.toSorted((one, other) => one.index - other.index);
  for (const [at, { key, index, entry }] of byIndex.entries()) {
    if (index > entry.limit) problems.push(corrupt(key, "limit", `is ${entry.limit}, below the index`));
    const later = byIndex[at + 1];
    if (later === undefined) continue;
    if (later.index !== index + 1) problems.push(corrupt(later.key, "", `there is no try ${later.index - 1}`));
    if (later.entry.limit !== entry.limit) {
      problems.push(corrupt(later.key, "limit", `is ${later.entry.limit}, that of the try before ${entry.limit}`));
    }
    if (entry.state !== "failed") problems.push(corrupt(key, "state", `is ${entry.state}, but there is a later try`));
  }
  return problems;
}
