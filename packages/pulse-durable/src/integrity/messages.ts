import { messageKey, parseIds } from "../record/entry-key.ts";
import type { SequenceRun } from "../record/format.ts";
import { hasSequence, sequenceCount } from "../record/sequence-runs.ts";
import type { SequenceRuns } from "../record/sequence-runs.ts";
import { codecProblem } from "./codecs.ts";
import type { CheckedParts } from "./parts.ts";
import { corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";
import { keyNumber } from "./numbers.ts";
import type { SourceParts } from "./sources.ts";

/** Each message is pending for some group of its stream, and each pending one is there (REC-29, REC-31). */
export function messageProblems(
  { record }: CheckedParts,
  sources: ReadonlyMap<string, SourceParts>,
): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const pending = new Map([...sources].map(([id, source]) => [id, pendingOf(source)]));
  const there = new Map<string, number[]>();
  for (const [ids, { value }] of record.messages) {
    const key = `message/${ids}`;
    // The shapes were checked: there are two ids.
    const [sourceId, text] = parseIds("message", ids) as [string, string];
    const source = sources.get(sourceId);
    const sequence = keyNumber(text);
    if (source === undefined) problems.push(corrupt(key, "", `the record has no stream ${sourceId}`));
    else if (sequence === undefined) problems.push(corrupt(key, "", `${JSON.stringify(text)} is no sequence`));
    else if (!hasSequence(pending.get(sourceId) ?? [], sequence)) {
      problems.push(corrupt(key, "", "no group of its stream has it pending"));
    } else {
      const list = there.get(sourceId);
      if (list === undefined) there.set(sourceId, [sequence]);
      else list.push(sequence);
    }
    if (source === undefined) continue;
    if (value.name !== source.first.key) problems.push(corrupt(key, "value", `is named ${JSON.stringify(value.name)}`));
    const other = source.written === undefined ? undefined : codecProblem(key, "value", value, source.written);
    if (other !== undefined) problems.push(other);
  }
  for (const [sourceId, runs] of pending) {
    const missing = firstMissing(runs, there.get(sourceId) ?? []);
    if (missing === undefined) continue;
    problems.push(corrupt(messageKey(sourceId, missing), "", "is missing, but some group has it pending"));
  }
  return problems;
}

/** What some group has pending, as runs that do not touch. */
function pendingOf({ groups }: SourceParts): SequenceRuns {
  const all = groups.flatMap(({ pending }) => pending).toSorted(([one], [other]) => one - other);
  const runs: SequenceRun[] = [];
  for (const [first, last] of all) {
    const before = runs.at(-1);
    if (before === undefined || before[1] < first - 1) runs.push([first, last]);
    else runs[runs.length - 1] = [before[0], Math.max(before[1], last)];
  }
  return runs;
}

/** Linear in what is there: a damaged run may name more sequences than could be counted. */
function firstMissing(runs: SequenceRuns, there: readonly number[]): number | undefined {
  if (sequenceCount(runs) === there.length) return undefined;
  const found = there.toSorted((one, other) => one - other).values();
  for (const [first, last] of runs) {
    for (let sequence = first; sequence <= last; sequence += 1) {
      if (found.next().value !== sequence) return sequence;
    }
  }
  return undefined;
}
