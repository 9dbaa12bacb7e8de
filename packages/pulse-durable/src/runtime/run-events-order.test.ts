import type { PulseEvent } from "@pulse-ts/core";
import { graph, node, retry } from "@pulse-ts/core";
import { expect, test } from "vitest";
import type { RunEvent } from "../events.ts";
import { fakeHost } from "../fake-host.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { chainGraph, crashGraph, numberKey } from "../testing/graphs.ts";
import { deferred, turn, worker } from "../testing/worker.ts";
import { sizeOf } from "./ledger.ts";

const made = numberKey("made");
const call = { runId: "run", version: "1" };

/** Kinds, and paths where there is one; the revision of a save. */
const told = (events: readonly (PulseEvent | RunEvent)[]): readonly string[] =>
  events.map((event) => {
    if (event.kind === "run-saved") return `run-saved ${event.revision}`;
    return "path" in event && event.path !== "" ? `${event.kind} ${event.path}` : event.kind;
  });

test("DUR-13 CKPT-25 a resume: resumed, started, what was restored, each save before what it publishes, stopped", async () => {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(3);
  const dying = worker(memory);
  const dead = dying.diesAt(3, "before");
  void dying.pulse.run(chain, { start: 0 }, call).catch(() => {});
  await dead;
  const { pulse, events, see } = worker(memory);
  await pulse.resume(chain, { start: 0 }, { ...call, observers: [see] });
  expect(told(events)).toEqual([
    "run-resumed",
    "execution-started",
    "node-finished node0",
    "node-waiting node1",
    "node-waiting node2",
    "node-running node1",
    "run-saved 3",
    "node-finished node1",
    "node-running node2",
    "run-saved 4",
    "node-finished node2",
    "execution-finished",
    "run-stopped",
  ]);
  expect(events[0]).toMatchObject({ revision: 2, resumes: 0, scopes: 1, nodes: 1, attempts: 1 });
});

test("DUR-13 DUR-3 a resume of a completed run tells that it was resumed and stopped, and of no save", async () => {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(1);
  await worker(memory).pulse.run(chain, { start: 0 }, call);
  const { pulse, events, see } = worker(memory);
  await pulse.resume(chain, { start: 0 }, { ...call, observers: [see] });
  expect(told(events)).toEqual([
    "run-resumed",
    "execution-started",
    "node-finished node0",
    "execution-finished",
    "run-stopped",
  ]);
  expect(events.at(-1)).toMatchObject({ reason: "completed" });
});

test("DUR-13 a try that fails is told, and its save comes before the next try", async () => {
  const { pulse, events, see } = worker();
  const tries: string[] = [];
  const flaky = graph("flaky", {
    nodes: [
      node("flaky", { aspects: [retry({ limit: 2 })] }, (_values, { attempt }) => {
        tries.push(`try ${attempt} after ${told(events).at(-1)}`);
        if (attempt === 1) throw new Error("again");
      }),
    ],
  });
  await pulse.run(flaky, {}, { ...call, observers: [see] });
  expect(tries).toEqual(["try 1 after node-running flaky", "try 2 after run-saved 2"]);
  const kinds = told(events);
  expect(kinds.indexOf("run-saved 2")).toBeGreaterThan(kinds.indexOf("node-running flaky"));
  expect(kinds.filter((kind) => kind === "attempt-failed flaky")).toHaveLength(1);
});

test("DUR-13 every save is told once, with its revision, its changes and its bytes", async () => {
  const { pulse, store, events, see } = worker();
  await pulse.run(
    crashGraph(() => {}),
    { start: 5 },
    { ...call, observers: [see] },
  );
  const saved = events.filter((event) => event.kind === "run-saved");
  expect(saved.map(({ revision, changes, bytes }) => ({ revision, changes, bytes }))).toEqual(
    store.saves.map(({ revision, changes }) => ({ revision, changes: changes.length, bytes: sizeOf(changes) })),
  );
});

test("DUR-13 DUR-17 how long a save took is told by the host's clock", async () => {
  const host = fakeHost();
  const { pulse, store, events, see } = worker(memoryStore(), { host });
  const held = deferred();
  store.faults.before = async ({ revision }) => {
    if (revision === 2) await held.promise;
  };
  const running = pulse.run(chainGraph(1).graph, { start: 0 }, { ...call, observers: [see] });
  await host.advance(250);
  held.resolve();
  await running;
  const durations = events.flatMap((event) => (event.kind === "run-saved" ? [event.durationMs] : []));
  expect(durations).toEqual([0, 250]);
});

test("DUR-13 an interruption is told as such, with the error that the call rejects with, after the execution has ended", async () => {
  const { pulse, events, see } = worker();
  const waits = graph("waits", {
    outputs: [made],
    nodes: [
      node("wait", { provides: [made] }, (_values, { signal }) => {
        return new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }),
    ],
  });
  const handle = await pulse.start(waits, {}, { ...call, observers: [see] });
  await turn();
  handle.cancel("deploy");
  const error = await rejectionOf("PULSE_INTERRUPTED", handle.wait());
  expect(told(events).slice(-2)).toEqual(["execution-finished", "run-stopped"]);
  expect(events.at(-1)).toMatchObject({ kind: "run-stopped", runId: "run", reason: "interrupted", error });
});

test("DUR-13 DUR-21 a save that errs is not told as saved, and the run is told as stopped by an error", async () => {
  const { pulse, store, events, see } = worker();
  store.faults.after = ({ revision }) => {
    if (revision === 3) throw new Error("torn");
  };
  const running = pulse.run(chainGraph(3).graph, { start: 0 }, { ...call, observers: [see] });
  const error = await rejectionOf("PULSE_CHECKPOINT", running);
  expect(told(events).filter((kind) => kind.startsWith("run-"))).toEqual([
    "run-opened",
    "run-saved 1",
    "run-saved 2",
    "run-stopped",
  ]);
  expect(events.at(-1)).toMatchObject({ reason: "error", error });
});

test("DUR-13 DUR-12 a run that is refused before it begins is told of nothing", async () => {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(1);
  await worker(memory).pulse.run(chain, { start: 0 }, call);
  const { pulse, events, see } = worker(memory);
  const options = { ...call, observers: [see] };
  await rejectionOf("PULSE_CONFLICT", pulse.run(chain, { start: 0 }, options));
  await rejectionOf("PULSE_INCOMPATIBLE", pulse.resume(chain, { start: 1 }, options));
  await rejectionOf("PULSE_NOT_FOUND", pulse.resume(chain, { start: 1 }, { ...options, runId: "none" }));
  expect(events).toEqual([]);
});
