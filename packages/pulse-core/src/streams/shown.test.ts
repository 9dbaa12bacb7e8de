import { expect, test } from "vitest";
import { execution, graph, key, mount, node, run, toDot, toMermaid, topology, type } from "../index.ts";
import { checkpoint } from "../checkpoint/index.ts";
import { turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { recordingHooks } from "../testing/recording-hooks.ts";
import { expectCode, thrownBy } from "../testing/rejection.ts";
import { reading, stream } from "./index.ts";

const lines = stream("lines", type<string>("string"), { capacity: 2 });
const more = stream("more", type<string>("string"), { capacity: 9 });
const count = key("count", type<number>("number"));

const write = node("write", { provides: [lines] }, async (_values, { open }) => {
  const writer = await open(lines);
  for (const line of ["a", "b", "c"]) await writer.send(line);
});
const read = node(
  "read",
  { requires: [reading(more, { group: "workers" })], provides: [count] },
  async ({ more: reader }) => {
    let seen = 0;
    for await (const { ack } of reader) {
      seen++;
      await ack();
    }
    return { count: seen };
  },
);
const inner = graph("inner", { inputs: [more], outputs: [count], nodes: [read] });
const outer = graph("outer", { outputs: [count], nodes: [write, mount("inner", inner, { in: { more: lines } })] });

test("STR-13 CORE-27 the topology tells streams with their capacities, and the groups that readers name", () => {
  const shape = topology(outer);
  expect(shape.edges).toEqual([
    { key: "lines", from: "write", to: "inner", optional: false, stream: true },
    { key: "count", from: "inner", to: null, optional: false },
  ]);
  expect(shape.nodes[0]).toMatchObject({ provides: [{ name: "lines", type: "string", optional: false, capacity: 2 }] });
  expect(topology(inner).nodes[0]).toMatchObject({ groups: { more: "workers" } });
  expect(JSON.parse(JSON.stringify(shape))).toEqual(shape);
});

test("STR-13 CORE-27 drawings keep streams apart from values", () => {
  const mermaid = toMermaid(outer).split("\n");
  expect(mermaid.filter((line) => line.includes("==>")).length).toBe(2);
  expect(mermaid.filter((line) => line.includes("-->")).length).toBe(2);
  expect(
    toDot(outer)
      .split("\n")
      .filter((line) => line.includes("penwidth=3")).length,
  ).toBe(2);
});

test("STR-13 events tell that a stream was opened, stopped and has ended, at the writing node", async () => {
  const log = eventLog();
  const stops = node("stops", { requires: [lines] }, ({ lines: reader }) => reader.stop());
  const nodes = [write, stops, mount("inner", inner, { in: { more: lines } })];
  await run(graph("g", { outputs: [count], nodes }), {}, { observers: [log.observer] });
  const told = log.events
    .filter(({ path }) => path === "write")
    .map(({ kind, executionId, sequence, time, ...rest }) => {
      expect([typeof executionId, typeof sequence, typeof time]).toEqual(["string", "number", "number"]);
      return { kind, ...rest };
    });
  expect(told).toEqual([
    { kind: "node-waiting", path: "write" },
    { kind: "node-running", path: "write" },
    { kind: "stream-opened", path: "write", key: "lines" },
    { kind: "stream-stopped", path: "write", key: "lines", group: "/stops" },
    { kind: "stream-ended", path: "write", key: "lines", reason: "completed" },
    { kind: "node-finished", path: "write", reason: "completed" },
  ]);
});

test("STR-13 the snapshot tells a stream where its writer is, and holds no value", async () => {
  const slow = node("slow", { requires: [lines] }, async ({ lines: reader }) => {
    await turn();
    await turn();
    for await (const { ack } of reader) await ack();
  });
  const child = graph("child", { nodes: [write, slow] });
  const handle = execution(graph("g", { nodes: [mount("child", child)] }), {});
  handle.start();
  await turn();
  const snapshot = handle.snapshot();
  expect(snapshot.streams).toEqual([]);
  expect(snapshot.children[0]?.streams[0]).toMatchObject({
    key: "lines",
    path: "child/write",
    state: "open",
    sent: 2,
    heldBackBy: ["/child/slow"],
  });
  await handle.wait();
  expect(execution(graph("plain", { nodes: [] }), {}).snapshot().streams).toEqual([]);
});

const { streams: _, ...withoutStreams } = recordingHooks();

test("CKPT-8 a graph with a stream needs the stream hooks, and is refused without them before anything runs", () => {
  const options = { checkpoint: checkpoint({ scope: "root", hooks: withoutStreams }) };
  const error = expectCode(
    thrownBy(() => execution(outer, {}, options)),
    "PULSE_INVALID",
  );
  expect(error.details.problems.length).toBe(1);
  expect(error.message).toContain("the stream hooks are missing");
});
