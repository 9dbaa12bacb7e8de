import { expect, test } from "vitest";
import { judgeStreams } from "./judge-streams.ts";
import { Mirror } from "./mirror.ts";

const key = "stream/s/g";
const account = {
  scope: "root",
  attempt: "a",
  generation: 2,
  lastSequence: 9,
  ackedThrough: 4,
  stopped: false,
  end: "open",
};
const attempt = { parent: "root", nodeId: "n", boundary: "", index: 1, limit: 1, state: "active" };

function record(stream: object | undefined, state = "active"): Mirror {
  const changes = stream === undefined ? [] : [[key, JSON.stringify(stream)] as const];
  return new Mirror().with(1, [["attempt/a", JSON.stringify({ ...attempt, state })], ...changes]);
}

test.each([
  ["STR-7 a frontier that falls", { ackedThrough: 3 }, "STR-7"],
  ["STR-2 a last sequence that falls", { lastSequence: 8 }, "STR-2"],
  ["STR-21 a generation that rises amid a session", { generation: 3 }, "STR-21"],
  ["STR-21 a generation that falls", { generation: 1 }, "STR-21"],
] as const)("KIT-7 the judge of crashes finds %s", (_what, change, rule) => {
  const found = judgeStreams(record(account), record({ ...account, ...change }), { resumed: false });
  expect(found).toMatchObject([{ kind: "stream-went-back", rule }]);
});

test("KIT-7 STR-9 STR-22 STR-23 the judge of crashes finds a group that reads again, an end that changes and an account that is gone", () => {
  const ended = { ...account, end: "completed", stopped: true };
  const rules = (after: object | undefined) =>
    judgeStreams(record(ended), record(after), { resumed: false }).map(({ rule }) => rule);
  expect(rules({ ...ended, stopped: false })).toEqual(["STR-9"]);
  expect(rules({ ...ended, end: "failed" })).toEqual(["STR-23"]);
  expect(rules(undefined)).toEqual(["STR-22"]);
  expect(rules(ended)).toEqual([]);
});

test("KIT-7 STR-21 the first save of a resume raises what is open and valid, by one, and nothing else", () => {
  const raised = { ...account, generation: 3 };
  const found = (before: Mirror, after: object) => judgeStreams(before, record(after), { resumed: true });
  expect(found(record(account), raised)).toEqual([]);
  expect(found(record(account), account)).toMatchObject([{ rule: "STR-21" }]);
  expect(found(record(account), { ...account, generation: 4 })).toMatchObject([{ rule: "STR-21" }]);
  expect(found(record(account, "failed"), account)).toEqual([]);
  const ended = { ...account, end: "completed" };
  expect(found(record(ended), ended)).toEqual([]);
});
