import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyGraph } from "@pulse-ts/core";
import { durable, memoryStore } from "@pulse-ts/durable";
import type { Store } from "@pulse-ts/durable";
import { alwaysResume } from "@pulse-ts/durable/testing";
import { fileStore } from "@pulse-ts/filestore";
import { idleHost, resultOf, runEnd, sameEnd, watchedStore } from "@pulse-ts/store-testkit";
import type { RunEnd, RunResult } from "@pulse-ts/store-testkit";
import { expect, test } from "vitest";
import { runInMemory } from "../soak/cases.ts";
import { buildRun } from "./build-run.ts";
import { makePlan } from "./make-plan.ts";
import type { RunPlan } from "./run-plan.ts";

const seed = Number(process.env["PULSE_SEED"] ?? Math.floor(Math.random() * 1_000_000));
/** `PULSE_GRAPHS` for more; to stop a run at every save takes long, and so do files. */
const graphs = Number(process.env["PULSE_GRAPHS"] ?? 40);
const stopped = Math.ceil(graphs / 4);
const onFiles = Math.ceil(graphs / 12);
const timeout = 60_000 + graphs * 3_000;

const planAt = (at: number): RunPlan => makePlan(seed + at);

/** How the plan ends by core alone: what every other way of running it is held against. */
async function endInMemory(plan: RunPlan): Promise<RunEnd> {
  return endOf(await resultOf(runInMemory(plan)));
}

function endOf(result: RunResult): RunEnd {
  const end = runEnd(result);
  if (end === undefined) throw "error" in result ? result.error : new Error("an outcome is an end");
  return end;
}

/** The store, and a host whose time stands still while the store is at work. */
function surroundings(inner: Store, plan: RunPlan, activity: () => number) {
  const { store, busy } = watchedStore(
    inner,
    () => {},
    () => {},
  );
  return { store, host: idleHost({ busy: () => busy() > 0, activity, seed: plan.seed }) };
}

async function runOn(inner: Store, plan: RunPlan): Promise<RunEnd> {
  let activity = 0;
  const { graph, inputs, options } = buildRun(plan, () => (activity += 1));
  await using pulse = durable(surroundings(inner, plan, () => activity));
  return endOf(await resultOf(pulse.run(graph, inputs as never, { ...options, runId: "whole", version: "1" })));
}

async function resumeAlways(inner: Store, plan: RunPlan, stop: "interrupt" | "lost" | "uncertain") {
  let activity = 0;
  let resumes = 0;
  const { rebuilt, inputs, options } = buildRun(plan, () => (activity += 1));
  const running = async () => {
    const found = await alwaysResume<AnyGraph>(rebuilt, inputs as never, {
      ...options,
      ...surroundings(inner, plan, () => activity),
      stop,
      runId: stop,
    });
    ({ resumes } = found);
    return found.outcome;
  };
  return { end: endOf(await resultOf(running())), resumes };
}

test(
  `DUR-8 CORE-36 generated graphs end the same by core alone and durably in memory (PULSE_SEED=${seed})`,
  { timeout },
  async () => {
    const ends = { completed: 0, failed: 0 };
    for (let at = 0; at < graphs; at += 1) {
      const plan = planAt(at);
      const end = await endInMemory(plan);
      ends[end.kind] += 1;
      const durably = await runOn(memoryStore(), plan);
      expect(sameEnd(durably, end), `graph ${plan.seed}: ${JSON.stringify([durably, end])}`).toBe(true);
    }
    expect(ends.completed).toBeGreaterThan(0);
  },
);

test.each(["interrupt", "lost", "uncertain"] as const)(
  `DUR-16 DUR-21 generated graphs that are stopped at every save (%s) and resumed end as undisturbed ones (PULSE_SEED=${seed})`,
  { timeout },
  async (stop) => {
    let resumed = 0;
    for (let at = 0; at < stopped; at += 1) {
      const plan = planAt(at);
      const end = await endInMemory(plan);
      const { end: found, resumes } = await resumeAlways(memoryStore(), plan, stop);
      resumed += resumes;
      expect(sameEnd(found, end), `graph ${plan.seed}: ${JSON.stringify([found, end])}`).toBe(true);
    }
    expect(resumed).toBeGreaterThan(stopped);
  },
);

test(
  `DUR-16 STORE-3 generated graphs on local files, whole and stopped at every save, end as in memory (PULSE_SEED=${seed})`,
  { timeout },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "pulse-ends-"));
    try {
      for (let at = 0; at < onFiles; at += 1) {
        const plan = planAt(at);
        const end = await endInMemory(plan);
        const store = fileStore({ folder: join(folder, String(at)), foldBytesMin: 3_000 });
        const whole = await runOn(store, plan);
        expect(sameEnd(whole, end), `graph ${plan.seed}: ${JSON.stringify([whole, end])}`).toBe(true);
        const { end: found } = await resumeAlways(store, plan, "interrupt");
        expect(sameEnd(found, end), `graph ${plan.seed}: ${JSON.stringify([found, end])}`).toBe(true);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test("CORE-36 the plans hold what they are made to hold: every kind of aspect, failure, skip and wiring", () => {
  const text = JSON.stringify(Array.from({ length: 300 }, (_, at) => makePlan(at + 1)));
  const kinds = ["retry", "timeout", "limiter", "answer", "catch", "pass", "mount", "body"];
  for (const kind of kinds) expect(text).toContain(`"kind":"${kind}"`);
  for (const how of ["throw", "refused", "hang", "deaf"]) expect(text).toContain(`"how":"${how}"`);
  for (const deed of ["skip-node", "skip-key", "forget"]) expect(text).toContain(`"deed":"${deed}"`);
  expect(text).toMatch(/"retryAll":2/u);
  expect(text).toMatch(/"concurrency":/u);
  expect(text).toMatch(/"overriddenNodes":\["/u);
  expect(text).toMatch(/"fails":\{"how":"throw"\}/u);
});

test("CORE-36 equal seeds give equal plans", () => {
  expect(makePlan(77)).toEqual(makePlan(77));
  expect(makePlan(77)).not.toEqual(makePlan(78));
});
