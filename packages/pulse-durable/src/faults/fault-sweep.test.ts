import type { AnyGraph, Outcome } from "@pulse-ts/core";
import { isPulseError } from "@pulse-ts/core";
import { randomInt } from "node:crypto";
import { expect, onTestFailed, test } from "vitest";
import { durable } from "../durable.ts";
import { fakeHost } from "../fake-host.ts";
import { inspectRecord } from "../inspect.ts";
import type { AttemptInspection, ScopeInspection } from "../inspect.ts";
import type { RunRecord } from "../record/format.ts";
import { apartStore } from "../testing/apart-store.ts";
import { faultyStore } from "../testing/faulty-store.ts";
import { smallGraph } from "../testing/small-graph.ts";
import type { BodyStart, SmallWorld } from "../testing/small-graph.ts";
import { turn } from "../testing/worker.ts";
import { confirmedPaths } from "./confirmed-paths.ts";
import { durableAt, durableFaultPoints } from "./durable-at.ts";

/**
 * What is done where a point is reached: the call fails there, the process dies there, the call is late, the host interrupts
 * the run there, or closes the durable.
 */
type Fault = "throw" | "crash" | "wait" | "interrupt" | "close";

const call = { runId: "run", version: "1" };

function seedOf(): number {
  const seed = Number(process.env["PULSE_SEED"] ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`PULSE_SEED=${seed}`));
  return seed;
}

/** A small graph of a seed in a world of its own: equal seeds give equal graphs. */
function subject(seed: number, scopes = new Map<string, string[]>()) {
  const starts: BodyStart[] = [];
  const world: SmallWorld = { called: (body) => void starts.push(body), scopes };
  const { random } = fakeHost({ seed });
  const graph = smallGraph((below) => Math.floor(random() * below), world);
  return { graph, starts, scopes };
}

interface Reached {
  readonly point: string;
  /** The how manieth time, from 1. */
  readonly time: number;
}

interface Process extends Reached {
  readonly fault: Fault;
}

type Store = ReturnType<typeof apartStore>;

interface ProcessEnd {
  /** Undefined when the process died. */
  readonly outcome?: Outcome;
  readonly error?: unknown;
  /** For each time that the store was closed: whether each session was closed before, and nothing was done after. */
  readonly closes: readonly boolean[];
  /** Every point that was reached, in order. */
  readonly reached: readonly Reached[];
}

/** One process on what the store keeps; with a fault it is disturbed once. What it still does afterwards reaches no store. */
async function live(memory: Store, graph: AnyGraph, disturbed?: Process): Promise<ProcessEnd> {
  const store = faultyStore(memory);
  const host = new AbortController();
  const reached: Reached[] = [];
  const times = new Map<string, number>();
  let die: () => void = () => {};
  const death = new Promise<void>((resolve) => (die = resolve));
  const closes: { readonly open: number; readonly points: number }[] = [];
  const closable = {
    ...store,
    close: async () => void closes.push({ open: store.acquired - store.closed, points: reached.length }),
  };
  let closing: Promise<void> | undefined;
  const pulse = durableAt({ store: closable }, async (point) => {
    const time = (times.get(point) ?? 0) + 1;
    times.set(point, time);
    reached.push({ point, time });
    if (point !== disturbed?.point || time !== disturbed.time) return;
    switch (disturbed.fault) {
      case "throw":
        throw new Error(`a fault at ${point}`);
      case "crash":
        await store.crash();
        die();
        return new Promise<void>(() => {});
      case "wait":
        for (let turns = 0; turns < 3; turns += 1) await turn();
        return;
      case "interrupt":
        host.abort(new Error("stop"));
        return;
      case "close":
        closing = pulse.close();
        // Handled where it is awaited; nothing may wait for it here, since it waits for this.
        closing.catch(() => {});
    }
  });
  const options = { ...call, signal: host.signal };
  const ended = pulse.runOrResume(graph, { start: 5 } as never, options).then(
    (outcome): Pick<ProcessEnd, "outcome" | "error"> => ({ outcome }),
    (error: unknown) => ({ error }),
  );
  const end = await Promise.race([ended, death.then(() => ({}))]);
  await closing;
  // A session that could not be closed is given up by the death of its process.
  await turn();
  await store.crash();
  return { ...end, closes: closes.map(({ open, points }) => open === 0 && points === reached.length), reached };
}

/** What a record says that a later process must keep to: what never runs again. */
function keptBy(record: RunRecord | undefined) {
  if (record === undefined) return { confirmed: new Set<string>(), failed: new Set<string>() };
  const failed = new Set<string>();
  const inScope = (scope: ScopeInspection, mountTry: number): void => {
    for (const { path, attempts } of scope.nodes) for (const attempt of attempts) inAttempt(path, mountTry, attempt);
  };
  const inAttempt = (path: string, mountTry: number, attempt: AttemptInspection): void => {
    const { state, attempts, child, index, boundary } = attempt;
    if (child !== undefined) inScope(child, index);
    else if (state === "failed" && boundary !== "") failed.add(tryOf({ path, attempt: index, scope: mountTry }));
    for (const inner of attempts) inAttempt(path, mountTry, inner);
  };
  inScope(inspectRecord(record).root, 1);
  return { confirmed: confirmedPaths(record), failed };
}

/** One try of a body, wherever it is made. */
const tryOf = ({ path, attempt, scope }: BodyStart): string => `${path} #${attempt} in try ${scope} of its mount`;

async function recordOf(memory: Store): Promise<RunRecord | undefined> {
  return await memory.catalog.read("run").catch((error: unknown) => {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return undefined;
    throw error;
  });
}

/** How a process with this fault may end; undefined stands for an outcome, or for no answer of a dead process. */
const codesOf: Readonly<Record<Fault, readonly (string | undefined)[]>> = {
  // A failing call never makes the run fail (CKPT-12, CKPT-17).
  throw: [undefined, "PULSE_CHECKPOINT", "PULSE_STORE"],
  crash: [undefined],
  wait: [undefined],
  // An interruption never makes a run uncertain (DUR-26, DUR-27).
  interrupt: [undefined, "PULSE_INTERRUPTED"],
  close: [undefined, "PULSE_INTERRUPTED"],
};

/** Saves and closings after a save that erred: none, and one (DUR-21). */
function afterFailedSave({ reached }: ProcessEnd, { fault, point, time }: Process): readonly string[] {
  if (fault !== "throw" || !point.startsWith("save")) return ["close before"];
  const failed = reached.findIndex((one) => one.point === point && one.time === time);
  return reached.slice(failed + 1).flatMap((one) => (/^(save|close) before$/u.test(one.point) ? [one.point] : []));
}

const codeOf = (error: unknown): unknown => (isPulseError(error) ? error.code : error);

/** Each point's first time, and of the others as many as the seed picks. */
function chosenOf(reached: readonly Reached[], seed: number): readonly Reached[] {
  const { random } = fakeHost({ seed });
  const others = reached.filter(({ time }) => time > 1).map((one) => ({ one, order: random() }));
  const picked = others.toSorted((one, other) => one.order - other.order).slice(0, timesMax);
  return [...reached.filter(({ time }) => time === 1), ...picked.map(({ one }) => one)];
}

async function sweep(seed: number, fault: Fault, crashFirst: boolean): Promise<number> {
  const undisturbed = subject(seed);
  const expected = await durable({ store: apartStore() }).run(undisturbed.graph, { start: 5 } as never, call);

  /** A store with what an earlier process left, or nothing. */
  const begin = async () => {
    const memory = apartStore();
    const scopes = new Map<string, string[]>();
    if (crashFirst) {
      const first = subject(seed, scopes);
      const time = 2 + (seed % 4);
      await live(memory, first.graph, { point: "save after", time, fault: "crash" });
    }
    return { memory, scopes };
  };
  const calm = await begin();
  const { reached } = await live(calm.memory, subject(seed, calm.scopes).graph);
  const made = new Set(undisturbed.starts.map(tryOf));

  const chosen = chosenOf(reached, seed);
  for (const at of chosen) {
    const disturbed = { ...at, fault };
    const label = `seed ${seed}, ${fault} at ${at.point} (${at.time}), ${crashFirst ? "resumed" : "new"}`;
    const { memory, scopes } = await begin();
    const before = subject(seed, scopes);
    const end = await live(memory, before.graph, disturbed);
    const kept = keptBy(await recordOf(memory));
    const after = subject(seed, scopes);
    const { outcome, error } = await live(memory, after.graph);
    const tries = [before, after].map(({ starts }) => starts.map(tryOf));
    expect({
      label,
      end: codesOf[fault].includes(codeOf(end.error) as string),
      closes: end.closes,
      afterFailedSave: afterFailedSave(end, disturbed),
      error,
      outputs: outcome?.outputs,
      again: after.starts.filter((body) => kept.confirmed.has(body.path) || kept.failed.has(tryOf(body))),
      // No try is made twice in one process, and none that an undisturbed run does not make.
      twice: tries.some((list) => new Set(list).size < list.length),
      strange: tries.flat().filter((one) => !made.has(one)),
    }).toEqual({
      label,
      end: true,
      closes: fault === "close" ? [true] : [],
      afterFailedSave: ["close before"],
      error: undefined,
      outputs: expected.outputs,
      again: [],
      twice: false,
      strange: [],
    });
  }
  return chosen.length;
}

/** Later times of points that are tried in one sweep. */
const timesMax = Number(process.env["PULSE_TIMES"] ?? 25);
const graphs = Number(process.env["PULSE_GRAPHS"] ?? 1);

/** How many points were reached and disturbed. */
async function sweepGraphs(fault: Fault): Promise<number> {
  const seed = seedOf();
  let faults = 0;
  for (let at = 0; at < graphs; at += 1) {
    faults += await sweep(seed + at, fault, false);
    faults += await sweep(seed + at, fault, true);
  }
  return faults;
}

// Each ends with a resume: what was confirmed is kept, budgets hold, and the outputs are those of an undisturbed run.
const pointsMin = graphs * 20;
const timeout = 60_000 + graphs * 30_000;

test("DUR-8 D3 the process dies at any fault point", { timeout }, async () => {
  expect(await sweepGraphs("crash")).toBeGreaterThan(pointsMin);
});

test(
  "DUR-8 DUR-21 CKPT-17 a call fails at any fault point: the run is stopped, never failed",
  { timeout },
  async () => {
    expect(await sweepGraphs("throw")).toBeGreaterThan(pointsMin);
  },
);

test("DUR-26 DUR-27 the host interrupts at any fault point: the run is never uncertain", { timeout }, async () => {
  expect(await sweepGraphs("interrupt")).toBeGreaterThan(pointsMin);
});

test(
  "DUR-30 the host closes the durable at any fault point: sessions first, then the store, once",
  { timeout },
  async () => {
    expect(await sweepGraphs("close")).toBeGreaterThan(pointsMin);
  },
);

test("DUR-8 DUR-9 a call is late at any fault point: nothing is different", { timeout }, async () => {
  expect(await sweepGraphs("wait")).toBeGreaterThan(pointsMin);
});

test("DUR-8 the sweep reaches every fault point of graphs without streams", async () => {
  const reached = new Set<string>();
  for (let seed = 1; seed <= 20; seed += 1) {
    const memory = apartStore();
    const first = await live(memory, subject(seed).graph, { point: "save after", time: 3, fault: "crash" });
    const second = await live(memory, subject(seed).graph);
    for (const { point } of [...first.reached, ...second.reached]) reached.add(point);
  }
  const plain = durableFaultPoints.filter((point) => !point.startsWith("hook streams."));
  expect([...reached].toSorted()).toEqual(plain.toSorted());
});
