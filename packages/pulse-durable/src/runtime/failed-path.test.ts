import { aspect, graph, mount, node, retry } from "@pulse-ts/core";
import type { AnyGraph } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { idOf, rootAttempt, sampleRecord } from "../testing/sample-record.ts";
import { worker } from "../testing/worker.ts";
import { failedPaths } from "./failed-path.ts";
import { runFailed } from "./run-error.ts";

const call = { runId: "run", version: "1" };

/** What the first process was told of the failure, and what a resume is told. */
async function failedTwice(graphOf: AnyGraph) {
  const memory = memoryStore();
  const first = await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.run(graphOf, {}, call));
  const again = await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.resume(graphOf, {}, call));
  expect("cause" in again).toBe(false);
  return { first, again, record: await memory.catalog.read("run") };
}

const breaks = node("breaks", { aspects: [retry({ limit: 2 })] }, () => {
  throw new Error("secret");
});

test("DUR-3 CORE-43 a resume of a failed run says at which node it failed, and nothing of the error", async () => {
  const { first, again } = await failedTwice(graph("one", { nodes: [breaks, node("fine", {}, () => {})] }));
  expect([first.details.path, again.details.path]).toEqual(["breaks", "breaks"]);
  expect(again.message).toBe('run "run" has failed at node "breaks"; a new attempt at it needs a new run id');
});

test("DUR-3 the deepest node that failed is named, in the child graph of the last try", async () => {
  const tries: number[] = [];
  const early = node("early", {}, (_values, { attempt }) => {
    tries.push(attempt);
    if (tries.length === 1) throw new Error("only the first time");
  });
  const late = node("late", {}, () => {
    if (tries.length > 1) throw new Error("every other time");
  });
  const inner = graph("inner", { nodes: [early, late] });
  const middle = graph("middle", { nodes: [mount("inner", inner, { aspects: [retry({ limit: 2 })] })] });
  const { first, again } = await failedTwice(graph("outer", { nodes: [mount("middle", middle)] }));
  expect(tries).toHaveLength(2);
  expect(again.details.path).toBe("middle/inner/late");
  expect(first.details.path).toBe(again.details.path);
});

test("DUR-3 a run that was killed while its failure was recorded says the same deepest node when it is resumed", async () => {
  const bad = node("bad", {}, () => {
    throw new Error("secret");
  });
  const slow = node(
    "slow",
    {},
    (_values, { signal }) => new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
  );
  const outer = graph("outer", { nodes: [slow, mount("child", graph("child", { nodes: [bad] }))] });
  const { record } = await failedTwice(outer);
  for (let revision = 1; revision <= record.header.revision; revision += 1) {
    const memory = memoryStore();
    const first = worker(memory);
    const dead = first.diesAt(revision, "after");
    void first.pulse.run(outer, {}, call).catch(() => {});
    await dead;
    const again = await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.resume(outer, {}, call));
    expect([revision, again.details.path]).toEqual([revision, "child/bad"]);
  }
});

test("DUR-3 a mount that failed by itself is named, not a node of its child", async () => {
  const child = graph("child", { nodes: [node("fine", {}, () => {})] });
  const refuses = aspect("refuses", async (_context, next) => {
    await next();
    throw new Error("not this result");
  });
  const { first, again } = await failedTwice(
    graph("outer", { nodes: [mount("child", child, { aspects: [refuses] })] }),
  );
  expect([first.details.path, again.details.path]).toEqual(["child", "child"]);
});

test("DUR-3 when the record holds several failures, all are named and none is said to be the first", () => {
  const failed = { state: "failed" } as const;
  const record = sampleRecord({
    header: { status: "failed" },
    attempts: { [idOf("1")]: rootAttempt("one", failed), [idOf("2")]: rootAttempt("other", failed) },
  });
  const paths = failedPaths(record);
  expect(paths).toEqual(["one", "other"]);
  const error = runFailed({ runId: "run", paths, others: [], abandoned: [] });
  expect(error.details).not.toHaveProperty("path");
  expect(error.message).toContain('run "run" has failed at nodes "one", "other";');
});
