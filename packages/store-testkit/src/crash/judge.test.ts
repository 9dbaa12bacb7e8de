import { expect, test } from "vitest";
import {
  attempt,
  attemptId,
  body,
  completed,
  ended,
  header,
  loaded,
  processOf,
  result,
  rootScope,
  saved,
  scope,
} from "../testing/told-run.ts";
import type { ChildEvent } from "./child-event.ts";
import { judge } from "./judge.ts";
import type { ChildReport } from "./start-child.ts";

const first = [header(), scope(rootScope, "")];
const begun = [{ kind: "absent" } as const, ...saved(1, ...first)];
const root = attempt({ name: "root" });
const failedTry = attempt({ name: "one", parent: attemptId("root"), boundary: "0", limit: 3, state: "failed" });

const kindsOf = (...reports: readonly ChildReport[]): readonly string[] =>
  judge(reports).violations.map(({ kind }) => kind);

test("KIT-2 DUR-8 a run that was killed between a save and its confirmation is as well there with it as without it", () => {
  const killed = processOf(begun, body("work"), { kind: "saving", revision: 2, changes: [result(rootScope, "work")] });
  const without = processOf(loaded(1, ...first), body("work"), saved(2, result(rootScope, "work")), ended());
  const having = processOf(loaded(2, ...first, result(rootScope, "work")), ended());
  expect(kindsOf(killed, without)).toEqual([]);
  expect(kindsOf(killed, having)).toEqual([]);
});

test.each([
  ["a revision", loaded(1, ...first)],
  ["an entry", loaded(2, ...first)],
  ["the run", { kind: "absent" } as const],
])("STORE-5 KIT-2 a confirmed save of which %s is gone is found", (_what, next) => {
  const killed = processOf(begun, saved(2, result(rootScope, "work")));
  expect(kindsOf(killed, processOf(next, ended()))).toEqual(["acknowledged-lost"]);
});

test("REC-25 DUR-21 a record that no save has made is found: another content, an entry too many, a revision too high, half a save", () => {
  const killed = processOf(begun, {
    kind: "saving",
    revision: 2,
    changes: [result(rootScope, "work"), attempt({ name: "root", state: "confirmed" })],
  });
  const found = [
    loaded(1, header({ status: "failed" }), scope(rootScope, "")),
    loaded(1, ...first, result(rootScope, "other")),
    loaded(3, ...first),
  ];
  for (const record of found) expect(kindsOf(killed, processOf(record, ended()))).toEqual(["record-differs"]);
  const half = loaded(2, ...first, result(rootScope, "work"));
  expect(kindsOf(killed, processOf(half, ended()))).toEqual(["acknowledged-lost"]);
});

test("STORE-3 a save that does not follow the one before is found", () => {
  expect(kindsOf(processOf(begun, saved(3, result(rootScope, "work")), ended()))).toContain("save-out-of-order");
});

test("DUR-8 a body that runs after its result was confirmed is found, in the same process and in the next", () => {
  const done = saved(2, result(rootScope, "work"));
  expect(kindsOf(processOf(begun, done, body("work"), ended()))).toEqual(["confirmed-ran-again"]);
  const next = processOf(loaded(2, ...first, result(rootScope, "work")), body("work"), ended());
  expect(kindsOf(processOf(begun, done), next)).toEqual(["confirmed-ran-again"]);
});

test("DUR-25 a body in a scope that no confirmed save holds is found", () => {
  const child = "b".repeat(32);
  const opening = { kind: "saving", revision: 2, changes: [scope(child, "mount")] } as const;
  const early = body("mount/inner", { scope: child });
  expect(kindsOf(processOf(begun, opening, early, { kind: "saved", revision: 2 }, ended()))).toEqual([
    "scope-unconfirmed",
  ]);
  expect(kindsOf(processOf(begun, saved(2, scope(child, "mount")), early, ended()))).toEqual([]);
});

test("CKPT-22 a body in a void scope is found", () => {
  const child = attemptId("mount");
  const tried = attempt({ name: "mount", nodeId: "mount", state: "failed" });
  const inside = body("mount/inner", { scope: child });
  expect(kindsOf(processOf(begun, saved(2, tried, scope(child, "mount")), inside, ended()))).toEqual(["void-ran"]);
});

test("CKPT-19 a try that has failed for certain is found when it runs again, the next one is right", () => {
  const failed = saved(2, root, failedTry);
  expect(kindsOf(processOf(begun, failed, body("work", { tries: [1] }), ended()))).toEqual(["failed-try-ran-again"]);
  expect(kindsOf(processOf(begun, failed, body("work", { tries: [2] }), ended()))).toEqual([]);
});

test("CKPT-19 CKPT-34 a try that begins before the failure of the one before is confirmed is found", () => {
  expect(kindsOf(processOf(begun, body("work", { tries: [2] }), ended()))).toEqual(["try-too-early"]);
  expect(kindsOf(processOf(begun, saved(2, root, failedTry), body("work", { tries: [3] }), ended()))).toEqual([
    "try-too-early",
  ]);
});

test("DUR-8 another end, other budgets and other tries than undisturbed are found", () => {
  const whole = (...more: readonly ChildEvent[]): ChildReport => processOf(begun, body("work"), ...more);
  const reference = judge([whole(ended(completed, ["work 1/1"]))]).found;
  if (reference === undefined) throw new Error("the run has ended");
  const kinds = (report: ChildReport) => judge([report], reference).violations.map(({ kind }) => kind);
  expect(kinds(whole(ended(completed, ["work 1/1"])))).toEqual([]);
  expect(kinds(whole(ended({ kind: "completed", outputs: "[]" }, ["work 1/1"])))).toEqual(["end-differs"]);
  expect(kinds(whole(ended({ kind: "failed", code: "PULSE_RUN_FAILED" })))).toEqual(["end-differs"]);
  expect(kinds(whole(ended(completed, ["work 1/2"])))).toEqual(["budgets-differ"]);
  expect(kinds(whole(body("more"), ended(completed, ["work 1/1"])))).toEqual(["tries-differ"]);
  expect(kinds(processOf(begun, ended(completed, ["work 1/1"])))).toEqual(["tries-differ"]);
});

test("DUR-3 a resume of an ended run that runs, saves or ends otherwise is found", () => {
  const again = { kind: "ended-again", end: completed } as const;
  expect(kindsOf(processOf(begun, ended(), again))).toEqual([]);
  expect(kindsOf(processOf(begun, ended(), body("work"), again))).toEqual(["ended-run-changed"]);
  expect(kindsOf(processOf(begun, ended(), saved(2, result(rootScope, "work")), again))).toEqual(["ended-run-changed"]);
  const other = { kind: "ended-again", end: { kind: "failed", code: "PULSE_RUN_FAILED" } } as const;
  expect(kindsOf(processOf(begun, ended(), other))).toEqual(["ended-run-changed"]);
});

test("DUR-8 a run that does not end, and a process that breaks, are found", () => {
  expect(kindsOf(processOf(begun))).toEqual(["no-end"]);
  expect(kindsOf({ ...processOf(begun), problem: "it hangs" })).toEqual(["process-broke"]);
});
