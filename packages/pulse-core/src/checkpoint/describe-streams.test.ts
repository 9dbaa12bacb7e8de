import { expect, test } from "vitest";
import { execution, graph, mount, node, type } from "../index.ts";
import { reading, stream } from "../streams/index.ts";
import { checkpointNodes, checkpointStreams, checkpointSubscriptions } from "./index.ts";

const lines = stream("lines", type<string>("string"), { capacity: 2 });
const more = stream("more", type<string>("string"), { capacity: 9 });

const write = node(
  "write",
  { provides: [lines], resumable: true },
  async (_values, { open }) => void (await open(lines)),
);
const inside = node("inside", { requires: [lines] }, async (values) => values.lines.stop());
const outside = node("outside", { requires: [reading(more, { group: "workers" })] }, async (values) =>
  values.more.stop(),
);
const child = graph("child", { nodes: [write, inside], outputs: [lines] });
const outer = graph("outer", {
  nodes: [mount("child", child, { out: { lines: more } }), outside],
  outputs: [more],
});

test("CKPT-27 the bridge is told each stream: its writer, its readers, its outputs and every name", () => {
  expect(checkpointStreams(outer)).toEqual([
    {
      path: "child/write",
      key: lines,
      resumable: true,
      readers: [
        { path: "outside", key: "more", group: "workers" },
        { path: "child/inside", key: "lines", group: "/child/inside" },
      ],
      outputs: ["more"],
      names: [
        { path: "child", key: "lines" },
        { path: "", key: "more" },
      ],
    },
  ]);
  expect(checkpointStreams(graph("plain", { nodes: [] }))).toEqual([]);
});

test("CKPT-27 stream keys stand among those of the nodes, with the groups of readers and what a writer declares", () => {
  const nodes = checkpointNodes(outer);
  expect(nodes.map(({ path, resumable, requires, provides }) => ({ path, resumable, requires, provides }))).toEqual([
    { path: "child", resumable: false, requires: [], provides: [more] },
    { path: "child/write", resumable: true, requires: [], provides: [lines] },
    {
      path: "child/inside",
      resumable: false,
      requires: [{ key: lines, optional: false, group: "/child/inside" }],
      provides: [],
    },
    {
      path: "outside",
      resumable: false,
      requires: [{ key: more, optional: false, group: "workers" }],
      provides: [],
    },
  ]);
});

test("CKPT-39 STR-37 what the host has subscribed to is told by the writer's path, and may still be nothing", () => {
  const running = execution(outer, {});
  expect(checkpointSubscriptions(running)).toEqual([]);
  running.subscribe(more);
  running.subscribe(more, { group: "audit" });
  running.subscribe(more);
  expect(checkpointSubscriptions(running)).toEqual([
    { path: "child/write", key: "lines", group: "host" },
    { path: "child/write", key: "lines", group: "audit" },
  ]);
});
