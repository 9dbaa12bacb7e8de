import { graph, node } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { chainGraph, numberKey } from "../testing/graphs.ts";
import { worker } from "../testing/worker.ts";

const made = numberKey("made");
const call = { runId: "run", version: "1" };

/** A graph whose body is told how often it was called; until it is to end, it never does. */
function endless() {
  const seen = { calls: 0, ends: false };
  const body = () => {
    seen.calls += 1;
    return seen.ends ? { made: seen.calls } : new Promise<never>(() => {});
  };
  return { seen, graph: graph("endless", { outputs: [made], nodes: [node("hang", { provides: [made] }, body)] }) };
}

/** A process that dies while the body runs. */
async function dieInBody(
  memory: ReturnType<typeof memoryStore>,
  hanging: ReturnType<typeof endless>,
  maxResumes?: number,
) {
  const { pulse, store, events, see } = worker(memory);
  const before = hanging.seen.calls;
  const options = { ...call, observers: [see], ...(maxResumes === undefined ? {} : { maxResumes }) };
  const handle = await pulse.start(hanging.graph, {}, options);
  while (hanging.seen.calls === before) await Promise.resolve();
  await store.crash();
  void handle.wait().catch(() => {});
  return { store, events };
}

test("DUR-11 DUR-28 a run that dies in a body each time is refused past maxResumes, and goes on when it is raised", async () => {
  const memory = memoryStore();
  const hanging = endless();
  await dieInBody(memory, hanging, 2);
  for (const resumes of [1, 2]) {
    const { store, events } = await dieInBody(memory, hanging, 2);
    // The count was saved before the body ran: the one save of this process.
    expect(store.saves.map(({ changes }) => changes.map(({ key }) => key))).toEqual([["header"]]);
    expect((await memory.catalog.read("run")).header).toMatchObject({ resumes, status: "running" });
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(["run-resumed", "run-saved", "execution-started"]);
    expect(events[0]).toMatchObject({ resumes: resumes - 1 });
  }
  const kept = await memory.catalog.read("run");
  const later = worker(memory);
  let built = 0;
  const options = { ...call, observers: [later.see], beforeStart: () => void (built += 1) };
  for (const [way, maxResumes] of [
    ["resume", 2],
    ["runOrResume", 2],
    ["resume", 0],
  ] as const) {
    const refused = later.pulse[way](hanging.graph, {}, { ...options, maxResumes });
    const error = await rejectionOf("PULSE_RESUME_LIMIT", refused);
    expect(error.details).toEqual({ runId: "run", next: "raise-max-resumes", resumes: 2, maxResumes });
  }
  expect(await memory.catalog.read("run")).toEqual(kept);
  expect([later.events, built, hanging.seen.calls, later.store.closed]).toEqual([[], 0, 3, 3]);

  hanging.seen.ends = true;
  expect((await later.pulse.resume(hanging.graph, {}, { ...call, maxResumes: 3 })).values.made).toBe(4);
  expect((await memory.catalog.read("run")).header).toMatchObject({ resumes: 3, status: "completed" });
});

test("DUR-11 maxResumes is off by default, and then the count goes with the first save or with none", async () => {
  const memory = memoryStore();
  const hanging = endless();
  for (let process = 0; process < 20; process += 1) await dieInBody(memory, hanging);
  expect((await memory.catalog.read("run")).header).toMatchObject({ resumes: 0, revision: 1 });
  hanging.seen.ends = true;
  await worker(memory).pulse.resume(hanging.graph, {}, call);
  expect((await memory.catalog.read("run")).header).toMatchObject({ resumes: 1, revision: 2 });
});

test("DUR-28 resumes of completed and of failed runs are not counted, and maxResumes does not refuse them", async () => {
  const memory = memoryStore();
  const { graph: chain } = chainGraph(2);
  await worker(memory).pulse.run(chain, { start: 0 }, call);
  const failing = graph("failing", { nodes: [node("break", {}, () => Promise.reject(new Error("no")))] });
  const other = { ...call, runId: "other", maxResumes: 0 };
  await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.run(failing, {}, other));
  const { pulse, store } = worker(memory);
  expect((await pulse.resume(chain, { start: 0 }, { ...call, maxResumes: 0 })).values).toEqual({ link1: 2 });
  await rejectionOf("PULSE_RUN_FAILED", pulse.resume(failing, {}, other));
  expect(store.saves).toEqual([]);
});

test("DUR-28 DUR-12 a count that cannot be saved ends the resume before any body, and observers are told", async () => {
  for (const when of ["before", "after"] as const) {
    const memory = memoryStore();
    const hanging = endless();
    await dieInBody(memory, hanging);
    const { pulse, store, events, see } = worker(memory);
    const cause = new Error("the disk is full");
    store.faults[when] = () => {
      throw cause;
    };
    const options = { ...call, observers: [see], maxResumes: 5 };
    const error = await rejectionOf("PULSE_STORE", pulse.resume(hanging.graph, {}, options));
    expect(error.cause).toBe(cause);
    expect(error.details).toMatchObject({ runId: "run", next: "mend-store" });
    expect(events.map(({ kind }) => kind)).toEqual(["run-resumed", "run-stopped"]);
    expect(events.at(-1)).toMatchObject({ reason: "error", error });
    expect([hanging.seen.calls, store.closed]).toEqual([1, 1]);
    // All of that save or nothing of it.
    expect((await memory.catalog.read("run")).header.resumes).toBe(when === "before" ? 0 : 1);
  }
});

test("DUR-12 DUR-28 a maxResumes that is no count is refused", async () => {
  const { pulse, store } = worker();
  for (const maxResumes of [-1, 1.5, Number.NaN, Infinity, "3", null]) {
    const refused = pulse.resume(chainGraph(1).graph, { start: 0 }, { ...call, maxResumes } as never);
    const error = await rejectionOf("PULSE_INVALID", refused);
    expect(error.details.problems.map(({ path }) => path)).toEqual(["maxResumes"]);
  }
  expect(store.acquired).toBe(0);
});
