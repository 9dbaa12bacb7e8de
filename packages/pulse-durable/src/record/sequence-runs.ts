import type { SequenceRun } from "./format.ts";

/**
 * Sets of sequences as ascending runs that do not touch (REC-11). What is looked for is found in a time that grows with the
 * logarithm of the number of runs; a changed set is a new list, the given one stays. Pure.
 */
export type SequenceRuns = readonly SequenceRun[];

/** Adds the sequences from `first` to `end`, behind all others: they are above them. */
export function withSequences(runs: SequenceRuns, first: number, end: number): SequenceRuns {
  const last = runs.at(-1);
  if (last === undefined || last[1] < first - 1) return [...runs, [first, end]];
  return [...runs.slice(0, -1), [last[0], end]];
}

/** Takes one sequence out; the same list when it is not in there. */
export function withoutSequence(runs: SequenceRuns, sequence: number): SequenceRuns {
  const at = runAt(runs, sequence);
  if (at === undefined) return runs;
  const [first, last] = runs[at] as SequenceRun;
  const rest: SequenceRun[] = [];
  if (first < sequence) rest.push([first, sequence - 1]);
  if (sequence < last) rest.push([sequence + 1, last]);
  return [...runs.slice(0, at), ...rest, ...runs.slice(at + 1)];
}

/** Whether the sequence is one of the set. */
export function hasSequence(runs: SequenceRuns, sequence: number): boolean {
  return runAt(runs, sequence) !== undefined;
}

/** How many sequences the set has; linear in the number of runs. */
export function sequenceCount(runs: SequenceRuns): number {
  let count = 0;
  for (const [first, last] of runs) count += last - first + 1;
  return count;
}

/** All sequences, ascending. */
export function* sequencesOf(runs: SequenceRuns): Generator<number> {
  for (const [first, last] of runs) {
    for (let sequence = first; sequence <= last; sequence += 1) yield sequence;
  }
}

/** Halved down to: the run that the sequence is in. */
function runAt(runs: SequenceRuns, sequence: number): number | undefined {
  let [low, high] = [0, runs.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = runs[middle] as SequenceRun;
    if (sequence < first) high = middle - 1;
    else if (sequence > last) low = middle + 1;
    else return middle;
  }
  return undefined;
}
