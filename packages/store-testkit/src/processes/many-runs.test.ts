import { expect, test } from "vitest";
import { raceProblem } from "./many-runs.ts";
import type { RaceNote } from "./many-runs.ts";

const one = { runs: 1, times: 2 };

/** Notes of the only run: `0 begin`. */
const notes = (...lines: readonly string[]): readonly RaceNote[] =>
  lines.map((line) => {
    const [worker = "", ...what] = line.split(" ");
    return { runId: "work 0", worker: Number(worker), what: what.join(" ") as RaceNote["what"] };
  });

test("KIT-3 a race in which each owner ended before the next began is in order", () => {
  const inOrder = notes("0 begin", "0 saved 1", "0 end", "1 begin", "1 saved 2", "1 end", "0 begin", "0 end");
  expect(raceProblem(inOrder, one)).toBe(undefined);
});

test("KIT-3 two owners at once, a save by somebody else, a save twice and a run too few are found", () => {
  expect(raceProblem(notes("0 begin", "1 begin"), one)).toMatch(/process 1 acquired run "work 0" while process 0/);
  expect(raceProblem(notes("0 begin", "1 saved 1"), one)).toMatch(/process 1 used run "work 0", which 0 owned/);
  expect(raceProblem(notes("0 saved 1"), one)).toMatch(/which nobody owned/);
  expect(raceProblem(notes("0 begin", "0 saved 1", "0 saved 1"), one)).toMatch(/where 2 was next/);
  expect(raceProblem(notes("0 begin", "0 saved 1", "0 end"), one)).toMatch(/saved 1 times instead of 2/);
});
