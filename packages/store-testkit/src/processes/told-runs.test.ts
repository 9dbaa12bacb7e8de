import { expect, test } from "vitest";
import { ToldRuns } from "./told-runs.ts";

const runId = "run";

/** Runs after saves that were acknowledged, and one more that was handed to the store. */
function after(acknowledged: number, handed: number): ToldRuns {
  const told = new ToldRuns();
  for (let revision = 1; revision <= handed; revision += 1) {
    told.see({ kind: "saving", runId, revision });
    if (revision <= acknowledged) told.see({ kind: "saved", runId, revision });
  }
  return told;
}

test("KIT-2 what was acknowledged may be found, and so may the one save in flight; nothing else", () => {
  expect(after(3, 4).found({ runId, revision: 3 })).toBe(undefined);
  expect(after(3, 4).found({ runId, revision: 4 })).toBe(undefined);
  expect(after(3, 4).found({ runId, revision: 2 })).toMatch(/what was acknowledged is lost/);
  expect(after(3, 4).found({ runId, revision: 5 })).toMatch(/found at revision 5 where it was to be at revision 3 or/);
  expect(after(3, 3).found({ runId, revision: 4 })).toMatch(/found at revision 4/);
});

test("KIT-2 a record that is not the one of its revision is told with where it differs", () => {
  expect(after(3, 3).found({ runId, revision: 3, difference: "it has no header" })).toMatch(/it has no header/);
});

test("KIT-2 a run whose delete is in flight is there or gone; deleted, it is gone", () => {
  const deleting = after(2, 2);
  deleting.see({ kind: "deleting", runId });
  expect(deleting.found({ runId, revision: 0 })).toBe(undefined);
  const kept = after(2, 2);
  kept.see({ kind: "deleting", runId });
  expect(kept.found({ runId, revision: 2 })).toBe(undefined);
  const deleted = after(2, 2);
  deleted.see({ kind: "deleting", runId });
  deleted.see({ kind: "deleted", runId });
  expect(deleted.found({ runId, revision: 2 })).toMatch(/found at revision 2 where it was to be absent/);
});

test("KIT-2 a loss is told once: what was found counts from there on", () => {
  const told = after(3, 3);
  expect(told.found({ runId, revision: 1 })).toMatch(/lost/);
  expect(told.found({ runId, revision: 1 })).toBe(undefined);
});
