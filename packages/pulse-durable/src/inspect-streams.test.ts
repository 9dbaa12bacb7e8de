import { graph, node, type } from "@pulse-ts/core";
import { stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "./durable.ts";
import { formatRun } from "./format-run.ts";
import { memoryStore } from "./memory-store.ts";

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
  expect(formatRun(inspection)).toContain("stream rows open: 3 sent");
});
