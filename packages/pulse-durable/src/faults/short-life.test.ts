import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import type { PulseEvent } from "@pulse-ts/core";
import { memoryStore } from "../memory-store.ts";
import type { AttemptEntry } from "../record/format.ts";
import { chainGraph, crashGraph } from "../testing/graphs.ts";
import { confirmedPaths } from "./confirmed-paths.ts";
import { shortLife } from "./short-life.ts";
import type { StopKind } from "./short-life.ts";

const call = { runId: "run", version: "1" };

async function completed() {
  const store = memoryStore();
  await durable({ store }).run(chainGraph(2).graph, { start: 0 }, call);
  return store;
}

const running = (path: string): PulseEvent => ({ kind: "node-running", path, executionId: "e", sequence: 1, time: 0 });

test("DUR-16 DUR-8 a confirmed node that runs again is a violation, and no other", async () => {
  const store = await completed();
  const life = shortLife({ store, runId: "run", kind: "interrupt", written: 3, keeps: 1 });
  const session = await life.store.acquire("run");
  await session.load();
  life.observer(running("node2"));
  expect(life.violation).toBeUndefined();
  life.observer(running("node1"));
  expect(life.violation?.message).toBe(
    'run "run" was stopped at every save, and its node "node1", which is confirmed, ran again',
  );
});

test("DUR-16 DUR-21 a save after the stop is refused and a violation", async () => {
  for (const kind of ["interrupt", "lost", "uncertain"] as const satisfies readonly StopKind[]) {
    const store = await completed();
    const life = shortLife({ store, runId: "run", kind, written: 3, keeps: 0 });
    const session = await life.store.acquire("run");
    const record = await session.load();
    const next = { ...record, header: { ...record.header, revision: 4 } };
    const saved = await session.save(next, 3, []).then(
      () => undefined,
      (error: unknown) => error,
    );
    // An interruption is no error of the save; a crash is, and `lost` has not written it.
    expect(saved).toBe(kind === "interrupt" ? undefined : life.stopped);
    expect(life.signal.aborted).toBe(kind === "interrupt");
    expect(life.written).toBe(kind === "lost" ? 3 : 4);
    expect((await store.catalog.read("run")).header.revision).toBe(life.written);
    await expect(session.save(next, 4, [])).rejects.toThrow("was to be saved after the stop");
    expect(life.violation).toBeDefined();
    await session.close();
    expect(life.waiting).toBe(0);
  }
});

test("CKPT-22 what a failed try has voided is not confirmed", async () => {
  const store = memoryStore();
  await durable({ store }).run(
    crashGraph(() => {}),
    { start: 5 },
    call,
  );
  const record = await store.catalog.read("run");
  expect([...confirmedPaths(record)].toSorted()).toEqual([
    "child",
    "child/first",
    "child/second",
    "double",
    "leave",
    "sum",
    "try",
  ]);
  // A node of the child has failed for good: the mount's try is over, though its failure is not confirmed yet.
  const failing = new Map(record.attempts);
  const [second = ""] = [...record.attempts].find(([, { nodeId }]) => nodeId === "second") ?? [];
  failing.set(second, { ...(failing.get(second) as AttemptEntry), state: "failed" });
  const nodes = new Map([...record.nodes].filter(([, { nodeId }]) => nodeId !== "second" && nodeId !== "child"));
  expect([...confirmedPaths({ ...record, attempts: failing, nodes })]).not.toContain("child/first");
  // The mount's attempt failed after all: what it held is void.
  const attempts = new Map(record.attempts);
  const [scope = ""] = [...record.scopes].find(([, { path }]) => path === "child") ?? [];
  attempts.set(scope, { ...(attempts.get(scope) as AttemptEntry), state: "failed" });
  expect([...confirmedPaths({ ...record, attempts })]).not.toContain("child/first");
});
