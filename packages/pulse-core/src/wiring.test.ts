import { expect, test } from "vitest";
import { graph } from "./graph.ts";
import { optional } from "./key.ts";
import { mount } from "./mount.ts";
import { anyKey } from "./testing/keys.ts";
import { part } from "./testing/parts.ts";
import { wiringOf } from "./wiring.ts";

const user = anyKey("user");
const limit = anyKey("limit");
const score = anyKey("score");
const rank = anyKey("rank");
const child = graph("scoring", {
  inputs: [user, optional(limit)],
  outputs: [score, rank],
  nodes: [part("rate", [user, optional(limit)], [score, rank])],
});
const nobody = (): boolean => false;

test("CORE-19 without wires inputs come from the parent's keys of their names, outputs keep their own keys", () => {
  expect(wiringOf(mount("m", child), nobody)).toEqual({
    in: [{ input: "user", from: user }],
    fix: [],
    out: [
      { output: "score", to: score },
      { output: "rank", to: rank },
    ],
  });
});

test("CORE-19 an optional input is wired by itself only to the very same key", () => {
  expect(wiringOf(mount("m", child), (key) => key === limit).in).toContainEqual({ input: "limit", from: limit });
  const asked: unknown[] = [];
  wiringOf(mount("m", child), (key) => asked.push(key) < 0);
  expect(asked).toEqual([limit]);
});

test("CORE-19 in renames, fix gives constants, undefined among them", () => {
  const customer = anyKey("customer");
  expect(wiringOf(mount("m", child, { in: { user: customer }, fix: { limit: undefined } }), nobody)).toMatchObject({
    in: [{ input: "user", from: customer }],
    fix: [{ input: "limit", value: undefined }],
  });
});

test("CORE-19 out given means exactly those outputs", () => {
  const points = anyKey("points");
  expect(wiringOf(mount("m", child, { out: { score: points } }), nobody).out).toEqual([
    { output: "score", to: points },
  ]);
  expect(wiringOf(mount("m", child, { out: {} }), nobody).out).toEqual([]);
});
