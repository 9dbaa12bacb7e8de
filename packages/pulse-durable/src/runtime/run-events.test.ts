import { graph, node } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { fakeHost } from "../fake-host.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { chainGraph } from "../testing/graphs.ts";
import { turn, worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };

test("DUR-13 observers see the execution's events, and the run opened, saved and stopped", async () => {
  const host = fakeHost({ now: 1_000 });
  const { pulse, events, see } = worker(memoryStore(), { host });
  await pulse.run(chainGraph(1).graph, { start: 0 }, { ...call, observers: [see] });
  expect(events.map(({ kind }) => kind)).toEqual([
    "run-opened",
    "run-saved",
    "execution-started",
    "node-waiting",
    "node-running",
    "run-saved",
    "node-finished",
    "execution-finished",
    "run-stopped",
  ]);
  expect(events[0]).toEqual({
    kind: "run-opened",
    runId: "run",
    time: 1_000,
    graph: "chain",
    version: "1",
    revision: 1,
  });
  // The node, its attempt, and the header that says completed.
  expect(events[5]).toMatchObject({ kind: "run-saved", runId: "run", revision: 2, changes: 3, durationMs: 0 });
  expect((events[5] as { bytes: number }).bytes).toBeGreaterThan(300);
  expect(events.at(-1)).toEqual({ kind: "run-stopped", runId: "run", time: 1_000, reason: "completed" });
});

test("DUR-13 a resume tells what was restored, before the execution starts", async () => {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(3);
  const dying = worker(memory);
  const dead = dying.diesAt(4, "before");
  void dying.pulse.run(chain, { start: 0 }, call).catch(() => {});
  await dead;
  const { pulse, events, see } = worker(memory);
  await pulse.resume(chain, { start: 0 }, { ...call, observers: [see] });
  expect(events.slice(0, 2)).toMatchObject([
    { kind: "run-resumed", runId: "run", revision: 3, resumes: 0, scopes: 1, nodes: 2, attempts: 2 },
    { kind: "execution-started" },
  ]);
});

test("DUR-13 a run that fails or stops tells why", async () => {
  const cause = new Error("no");
  const failing = graph("failing", { nodes: [node("break", {}, () => Promise.reject(cause))] });
  const one = worker();
  const error = await rejectionOf("PULSE_RUN_FAILED", one.pulse.run(failing, {}, { ...call, observers: [one.see] }));
  expect(one.events.at(-1)).toMatchObject({ kind: "run-stopped", reason: "failed", error });
  const other = worker();
  other.store.faults.before = ({ revision }) => {
    if (revision === 2) throw cause;
  };
  await rejectionOf("PULSE_CHECKPOINT", other.pulse.run(failing, {}, { ...call, observers: [other.see] }));
  expect(other.events.at(-1)).toMatchObject({ kind: "run-stopped", reason: "error" });
});

test("G10 DUR-13 an observer that throws or rejects changes nothing and is told once to the others", async () => {
  const { pulse, events, see } = worker();
  const bad = (): never => {
    throw new Error("bad observer");
  };
  const worse = (): Promise<never> => Promise.reject(new Error("worse observer"));
  const { values } = await pulse.run(chainGraph(2).graph, { start: 0 }, { ...call, observers: [bad, worse, see] });
  await turn();
  expect(values).toEqual({ link1: 2 });
  const told = events.filter(({ kind }) => kind === "run-observer-failed");
  expect(told.map((event) => (event as { error: Error }).error.message).toSorted()).toEqual([
    "bad observer",
    "worse observer",
  ]);
});

test("DUR-12 a session that does not close well is told, and the outcome stands", async () => {
  const memory = memoryStore();
  const cause = new Error("cannot release");
  const failing = {
    ...memory,
    acquire: async (runId: string) => ({ ...(await memory.acquire(runId)), close: () => Promise.reject(cause) }),
  };
  const { pulse, events, see } = worker(failing);
  expect((await pulse.run(chainGraph(1).graph, { start: 0 }, { ...call, observers: [see] })).values).toEqual({
    link0: 1,
  });
  expect(events.at(-1)).toMatchObject({ kind: "run-stopped", reason: "completed", error: cause });
});
