import { expect, test } from "vitest";
import { graph, key, node, type } from "../index.ts";
import { stream } from "../streams/index.ts";
import { expectCode, thrownBy } from "../testing/rejection.ts";
import { recorded, restoring } from "../testing/restored-streams.ts";
import { restoreNodes } from "./index.ts";
import type { RestorePlan } from "./index.ts";

const lines = stream("lines", type<string>("string"), { capacity: 2, position: type<number>("number") });
const count = key("count", type<number>("number"));
const seen = key("seen", type<readonly string[]>("strings"));

const read = node("read", { requires: [lines], provides: [seen] }, async (values) => {
  const all: string[] = [];
  for await (const value of values.lines.values()) all.push(value);
  return { seen: all };
});
const write = node("write", { provides: [lines], resumable: true }, async (_values, { open }) => {
  const writer = await open(lines);
  for (let at = (writer.position() ?? 0) + 1; at <= 4; at++) await writer.sendAt(at, `m${at}`);
});
const flat = graph("flat", { nodes: [write, read], outputs: [seen] });

test("CKPT-24 the streams of a plan are checked with it as a whole, and a bad plan leaves the earlier one", async () => {
  const good = recorded({
    path: "write",
    key: "lines",
    last: 2,
    position: 2,
    groups: [{ name: "/read", pending: [2] }],
  });
  const { running } = restoring(flat, { nodes: [], streams: [good] });
  const problemOf = (plan: RestorePlan): string =>
    expectCode(
      thrownBy(() => restoreNodes(running, plan)),
      "PULSE_INVALID",
    )
      .details.problems.map(({ message }) => message)
      .join("; ");
  const one = (over: Partial<typeof good>): RestorePlan => ({ nodes: [], streams: [{ ...good, ...over }] });
  expect(problemOf(one({ path: "other" }))).toContain("no node of the graph writes it");
  expect(problemOf({ nodes: [], streams: [good, good] })).toContain("restores it twice");
  expect(problemOf(one({ messages: [] }))).toContain("which is none of its messages");
  expect(problemOf(one({ last: 1 }))).toContain("no ascending sequences");
  expect(problemOf(one({ groups: [] }))).toContain("is not recorded");
  expect(problemOf(one({ end: "completed" }))).toContain("its writer is not restored");
  const skipped = { nodeId: "write", reason: "skipped", outputs: [{ name: "lines", state: "skipped" }] } as const;
  expect(problemOf({ nodes: [skipped], streams: [good] })).toContain("restored without it");
  const unknown = {
    nodeId: "write",
    reason: "completed",
    outputs: [{ name: "lines", state: "stream", sourceId: "no" }],
  } as const;
  expect(problemOf({ nodes: [unknown] })).toContain("which the plan does not restore");
  const value = {
    nodeId: "write",
    reason: "completed",
    outputs: [{ name: "lines", state: "ready", read: () => 1 }],
  } as const;
  expect(problemOf({ nodes: [value] })).toContain("only stream and skipped are restored");
  const reader = {
    nodeId: "read",
    reason: "completed",
    outputs: [{ name: "seen", state: "ready", read: () => [] }],
  } as const;
  expect(problemOf({ nodes: [reader] })).toContain('whose provider "write" is not restored');
  running.start();
  expect(await running.wait()).toMatchObject({ values: { seen: ["m2", "m3", "m4"] } });
});

test("CKPT-38 what became bad before the start installs no stream", async () => {
  const streams = [recorded({ path: "write", key: "lines", last: 2, groups: [{ name: "/read", pending: [2] }] })];
  const { running } = restoring(flat, { nodes: [], streams });
  streams.push({ ...(streams[0] as (typeof streams)[number]), path: "gone" });
  expectCode(
    thrownBy(() => running.start()),
    "PULSE_INVALID",
  );
  expect(running.snapshot().streams).toEqual([]);
  streams.pop();
  running.start();
  await running.wait();
});

test("CKPT-24 the closure is over plain keys: one beside an open stream needs its writer restored", () => {
  const writer = node("write", { provides: [lines, count], resumable: true }, async (_values, { open }) => {
    await open(lines);
    return { count: 1 };
  });
  const after = node("after", { requires: [count] }, () => {});
  const restored = recorded({ path: "write", key: "lines", last: 0, groups: [{ name: "/read", pending: [] }] });
  const early = { nodeId: "after", reason: "completed", outputs: [] } as const;
  const error = expectCode(
    thrownBy(() =>
      restoring(graph("counted", { nodes: [writer, read, after] }), { nodes: [early], streams: [restored] }),
    ),
    "PULSE_INVALID",
  );
  expect(error.message).toContain('it needs key "count"');
});
