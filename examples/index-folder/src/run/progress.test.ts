import type { EventBody } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { indexGraph } from "../graph/index-graph.ts";
import { listSteps, Progress } from "./progress.ts";
import { stepsOf } from "./steps.ts";

const steps = stepsOf(indexGraph(2));

function follow(live: boolean, columns = 0) {
  let shown = "";
  const progress = new Progress(steps, { write: (text) => void (shown += text), live, columns });
  let sequence = 0;
  const see = (path: string, body: EventBody): void => {
    sequence += 1;
    progress.see({ executionId: "e", time: 0, sequence, path, ...body });
  };
  return { progress, see, shown: () => shown };
}

test("the steps of a graph are its bodies, those of mounts under the mount's path", () => {
  expect(steps).toEqual([
    "scan",
    "chunk-1/read",
    "chunk-1/count",
    "chunk-1/invert",
    "chunk-2/read",
    "chunk-2/count",
    "chunk-2/invert",
    "merge",
    "rank",
    "write-json",
    "write-html",
  ]);
});

test("plain lines name each step that ends, and each try that fails", () => {
  const { progress, see, shown } = follow(false);
  see("scan", { kind: "node-running" });
  see("scan", { kind: "node-finished", reason: "completed" });
  see("chunk-1/read", { kind: "attempt-failed", attempt: 1, error: new Error("changed") });
  see("chunk-1/read", { kind: "node-finished", reason: "skipped" });
  see("chunk-1", { kind: "node-finished", reason: "completed" });
  see("merge", { kind: "node-finished", reason: "failed", error: new Error("no") });
  expect(shown()).toBe("[ 1/11] scan\nchunk-1/read: try 1 failed: changed\n[ 2/11] chunk-1/read (nothing to do)\n");
  expect([progress.confirmed, progress.restored.size]).toEqual([2, 0]);
});

test("CKPT-25 a restored mount stands for all its steps", () => {
  const { progress, see, shown } = follow(false);
  see("chunk-1", { kind: "node-finished", reason: "completed", restored: true });
  see("scan", { kind: "node-finished", reason: "completed", restored: true });
  expect([...progress.restored]).toEqual(["chunk-1/read", "chunk-1/count", "chunk-1/invert", "scan"]);
  expect([progress.confirmed, shown()]).toEqual([4, ""]);
});

test("a terminal's line is written over, and makes way for what stays", () => {
  const { progress, see, shown } = follow(true);
  see("scan", { kind: "node-finished", reason: "completed" });
  expect(shown()).toBe(`\r\u001b[K${"█".repeat(2)}${"░".repeat(22)}  1/11 scan`);
  progress.say("a line");
  expect(shown().endsWith("\r\u001b[Ka line\n")).toBe(true);
});

test("a narrow terminal's line is cut before it would wrap", () => {
  const { see, shown } = follow(true, 34);
  see("write-html", { kind: "node-finished", reason: "completed" });
  expect(shown().slice("\r\u001b[K".length)).toBe(`${"█".repeat(2)}${"░".repeat(22)}  1/11 wr`);
});

test("steps are listed by their mounts where those are whole, and neighbours are joined", () => {
  const all = stepsOf(indexGraph(5));
  expect(listSteps(new Set(all.filter((step) => !/^chunk-4|merge|rank|write/u.test(step))), all)).toBe(
    "scan, chunk-1 to chunk-3, chunk-5",
  );
  expect(listSteps(new Set(["scan", "chunk-2/read", "merge"]), all)).toBe("scan, chunk-2/read, merge");
  expect(listSteps(new Set(), all)).toBe("");
});
