import { expect, test } from "vitest";
import { seeded, seedOf } from "../testing/random.ts";
import { hasSequence, sequenceCount, sequencesOf, withoutSequence, withSequences } from "./sequence-runs.ts";
import type { SequenceRuns } from "./sequence-runs.ts";

const seed = seedOf(process.env, Math.floor(Math.random() * 1_000_000));

test("REC-11 sequences that follow each other are one run; a gap begins another", () => {
  expect(withSequences([], 1, 1)).toEqual([[1, 1]]);
  expect(withSequences([[1, 1]], 2, 5)).toEqual([[1, 5]]);
  expect(withSequences([[1, 5]], 7, 7)).toEqual([
    [1, 5],
    [7, 7],
  ]);
});

test("REC-11 a sequence is taken from the start, the end, the inside of a run, and with a run of its own", () => {
  const runs: SequenceRuns = [
    [1, 5],
    [8, 8],
  ];
  expect(withoutSequence(runs, 1)).toEqual([
    [2, 5],
    [8, 8],
  ]);
  expect(withoutSequence(runs, 5)).toEqual([
    [1, 4],
    [8, 8],
  ]);
  expect(withoutSequence(runs, 3)).toEqual([
    [1, 2],
    [4, 5],
    [8, 8],
  ]);
  expect(withoutSequence(runs, 8)).toEqual([[1, 5]]);
});

test("REC-11 what is not in there is taken out by leaving the list as it is; no change touches the given one", () => {
  const runs: SequenceRuns = Object.freeze([Object.freeze([2, 4] as const)]);
  for (const absent of [0, 1, 5]) expect(withoutSequence(runs, absent)).toBe(runs);
  expect(withoutSequence(runs, 3)).toHaveLength(2);
  expect(withSequences(runs, 5, 6)).toEqual([[2, 6]]);
  expect(runs).toEqual([[2, 4]]);
});

test(`REC-11 REC-20 random sets of sequences: ascending runs that do not touch, and hold what a set holds (PULSE_SEED=${seed})`, () => {
  const random = seeded(seed);
  for (let history = 0; history < 200; history += 1) {
    let runs: SequenceRuns = [];
    const model = new Set<number>();
    let last = 0;
    for (let step = 0; step < 60; step += 1) {
      if (random.below(2) === 0) {
        // Above all that were ever there, sometimes with a gap.
        const first = last + 1 + random.below(2);
        last = first + random.below(4);
        runs = withSequences(runs, first, last);
        for (let sequence = first; sequence <= last; sequence += 1) model.add(sequence);
      } else {
        const sequence = random.below(last + 2);
        runs = withoutSequence(runs, sequence);
        model.delete(sequence);
      }
      expect([...sequencesOf(runs)]).toEqual([...model].toSorted((one, other) => one - other));
      expect(sequenceCount(runs)).toBe(model.size);
      const isApart = runs.every(
        ([first, end], at) => first <= end && (at === 0 || (runs[at - 1]?.[1] ?? 0) + 1 < first),
      );
      expect(isApart).toBe(true);
      const all = Array.from({ length: last + 2 }, (_, sequence) => sequence);
      expect(all.filter((sequence) => hasSequence(runs, sequence))).toEqual([...sequencesOf(runs)]);
    }
  }
});
