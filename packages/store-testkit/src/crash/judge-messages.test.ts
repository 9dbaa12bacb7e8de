import { expect, test } from "vitest";
import { idempotencyKey } from "./judge-bodies.ts";
import { judgeMessage, judgeMessageTries } from "./judge-messages.ts";
import { Mirror } from "./mirror.ts";

const failed = { limit: 2, state: "failed" };
const account = {
  scope: "root",
  attempt: "a",
  generation: 1,
  lastSequence: 9,
  ackedThrough: 4,
  pending: [[6, 9]],
  stopped: false,
  end: "open",
};

/** A record in which messages 6 to 9 of source `s` are to be read by group `g`, and `tries` of them were made by `handler`. */
function record(tries: Readonly<Record<string, object>> = {}, mount = "active"): Mirror {
  const attempt = { boundary: "", index: 1, limit: 1, state: "active" };
  return new Mirror().with(1, [
    ["scope/root", JSON.stringify({ path: "" })],
    ["scope/child", JSON.stringify({ path: "inner" })],
    ["attempt/child", JSON.stringify({ ...attempt, parent: "root", nodeId: "inner", state: mount })],
    ["attempt/h", JSON.stringify({ ...attempt, parent: "root", nodeId: "handler" })],
    ["attempt/c", JSON.stringify({ ...attempt, parent: "child", nodeId: "handler" })],
    ["stream/s/g", JSON.stringify(account)],
    ...Object.entries(tries).map(([key, entry]) => [`try/${key}`, JSON.stringify(entry)] as const),
  ]);
}

function started(sequence: number, attempt: number, { scope, path } = { scope: "root", path: "handler" }) {
  return { path, attempt, id: idempotencyKey("run", scope, "handler", "s", "g", sequence) };
}

test("KIT-7 STR-24 the judge of crashes holds each try of a message against the failed ones that were confirmed", () => {
  const once = record({ "s/g/7/handler/h/1": failed });
  expect(judgeMessage(started(7, 2), once, "run")).toEqual([]);
  expect(judgeMessage(started(7, 1), once, "run")).toMatchObject([{ kind: "message-budget", rule: "STR-24" }]);
  expect(judgeMessage(started(8, 1), once, "run")).toEqual([]);
  expect(judgeMessage(started(8, 2), once, "run")).toMatchObject([{ kind: "message-budget", rule: "STR-24" }]);
});

test("KIT-7 STR-28 the judge of crashes finds a handler that is given what was acknowledged, or never sent", () => {
  for (const sequence of [5, 10]) {
    expect(judgeMessage(started(sequence, 1), record(), "run")).toMatchObject([
      { kind: "message-ran-again", rule: "STR-28" },
    ]);
  }
});

test("KIT-7 CKPT-22 the judge of crashes finds a handler in a void scope", () => {
  const inside = started(6, 1, { scope: "child", path: "inner/handler" });
  expect(judgeMessage(inside, record(), "run")).toEqual([]);
  expect(judgeMessage(inside, record({}, "failed"), "run")).toMatchObject([{ kind: "void-ran", rule: "CKPT-22" }]);
});

test.each([
  ["is gone", {}],
  ["is active again", { "s/g/7/handler/h/1": { limit: 2, state: "active" } }],
  ["has another limit", { "s/g/7/handler/h/1": { limit: 3, state: "failed" } }],
  ["is followed by more than its limit", { "s/g/7/handler/h/1": failed, "s/g/7/handler/h/3": failed }],
])("KIT-7 STR-24 the judge of crashes finds a failed try of a message that %s", (_what, tries) => {
  const before = record({ "s/g/7/handler/h/1": failed });
  expect(judgeMessageTries(before, record(tries))).toMatchObject([{ kind: "message-budget", rule: "STR-24" }]);
});

test("KIT-7 STR-29 the judge of crashes lets the tries of an acknowledged message go", () => {
  const before = record({ "s/g/5/handler/h/1": failed, "s/g/7/handler/h/1": failed });
  const after = record({ "s/g/7/handler/h/1": failed, "s/g/7/handler/h/2": { limit: 2, state: "confirmed" } });
  expect(judgeMessageTries(before, after)).toEqual([]);
});
