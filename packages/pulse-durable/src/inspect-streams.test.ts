import { graph, node, type } from "@pulse-ts/core";
import { stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { formatRun } from "./format-run.ts";
import { inspectRecord } from "./inspect.ts";
import { memoryStore } from "./memory-store.ts";
import { handleTry, wholeStreams } from "./testing/whole-streams.ts";

const rows = stream("rows", type<number>("number"), { capacity: 8 });

test("DUR-14 a run's streams are shown with their groups, frontiers and ends, and in the text", async () => {
  const stop = new AbortController();
  const write = node("write", { provides: [rows], resumable: true }, async (_, { open }) => {
    const out = await open(rows);
    for (const value of [1, 2, 3]) await out.send(value);
    stop.abort(new Error("stop"));
  });
  const read = node("read", { requires: [rows] }, async ({ rows: reader }) => {
    await (await reader.receive())?.ack();
    for await (const { value } of reader) expect(value).toBeGreaterThan(1);
  });
  const leave = node("leave", { requires: [rows] }, async ({ rows: reader }) => {
    await reader.stop();
  });
  const pulse = durable({ store: memoryStore() });
  const call = { runId: "run", version: "1", signal: stop.signal };
  await expect(pulse.run(graph("g", { nodes: [write, read, leave] }), {}, call)).rejects.toThrow("interrupted");
  const inspection = await pulse.inspect("run");
  expect(inspection.root.nodes.find(({ nodeId }) => nodeId === "write")?.streams).toEqual([
    {
      key: "rows",
      end: "open",
      sent: 3,
      capacity: 8,
      resumable: true,
      generation: 1,
      groups: [
        { name: "/leave", frontier: expect.any(Number), pending: 0, stopped: true },
        { name: "/read", frontier: 1, pending: 2, stopped: false },
      ],
    },
  ]);
  expect(formatRun(inspection)).toContain("group /read: 2 not acknowledged, all up to 1 are");
  expect(formatRun(inspection)).toContain("stream rows open: 3 sent, generation 1");
});

test("DUR-14 a node that handles messages is shown with its state, what it contributed, and the tries of what it has not done", () => {
  const inspection = inspectRecord(wholeStreams);
  const handle = inspection.root.nodes.find(({ nodeId }) => nodeId === "handle");
  expect(handle?.handled).toEqual({
    state: { name: "", state: "ready", codec: "string", bytes: 6 },
    values: [
      { name: "total", state: "ready", codec: "string", bytes: 1 },
      { name: "note", state: "skipped", codec: "string" },
    ],
    tries: [{ stream: "rows", group: "handle", sequence: 3, index: 2, limit: 3, state: "active" }],
  });
  expect(inspection.root.nodes.find(({ nodeId }) => nodeId === "read")).not.toHaveProperty("handled");
  const text = formatRun(inspection);
  expect(text).toContain("state (6 bytes, string)");
  expect(text).toContain("contributed total (1 byte, string), note (skipped)");
  expect(text).toContain("message 3 of stream rows, group handle: try 2 of 3");
  expect(text).toContain("stream rows open: 5 sent, generation 2");
});

test("DUR-14 a message that was tried, in a run that has confirmed none yet, is shown by its last try", () => {
  const [first, second] = [handleTry(3, 1), handleTry(3, 2)].map((key) => key.slice("try/".length)) as [string, string];
  const failed = { limit: 3, state: "failed" } as const;
  // In any order: a store may give its entries in another.
  const tries = new Map([
    [second, failed],
    [first, failed],
  ]);
  const { root } = inspectRecord({ ...wholeStreams, tries, managed: new Map() });
  expect(root.nodes.find(({ nodeId }) => nodeId === "handle")?.handled).toEqual({
    values: [],
    tries: [{ stream: "rows", group: "handle", sequence: 3, index: 2, limit: 3, state: "failed" }],
  });
});
