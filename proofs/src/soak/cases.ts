import { run } from "@pulse-ts/core";
import { proseFiles } from "@pulse-ts/example-index-folder/testing";
import { idleHost, resultOf } from "@pulse-ts/store-testkit";
import type { CrashCase, CrashProgram } from "@pulse-ts/store-testkit";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildRun } from "../generated/build-run.ts";
import { makePlan } from "../generated/make-plan.ts";
import type { RunPlan } from "../generated/run-plan.ts";
import type { JobInput } from "../program/job.ts";
import type { MessagesInput } from "../program/messages.ts";
import { housekeepingOn } from "../program/stores.ts";
import type { Medium } from "./media.ts";

/** A case and the name that the reports give it. */
export interface NamedCase extends CrashCase {
  readonly name: string;
}

/** A graph that starts fewer bodies has little to kill; one that starts more takes long. */
const bodiesMin = 6;
const bodiesMax = 90;

/** The plans of `count` generated graphs of some size, from a seed on. */
export async function plansFrom(seed: number, count: number): Promise<readonly RunPlan[]> {
  const plans: RunPlan[] = [];
  for (let at = seed; plans.length < count; at += 1) {
    const plan = makePlan(at);
    const bodies = await bodiesOf(plan);
    if (bodies >= bodiesMin && bodies <= bodiesMax) plans.push(plan);
  }
  return plans;
}

/** How many bodies start when nothing disturbs the run, in memory. */
async function bodiesOf(plan: RunPlan): Promise<number> {
  let bodies = 0;
  await resultOf(runInMemory(plan, () => (bodies += 1)));
  return bodies;
}

/** Runs a plan by core alone. */
export function runInMemory(plan: RunPlan, started: () => void = () => {}) {
  let activity = 0;
  const {
    graph,
    inputs,
    options = {},
  } = buildRun(plan, () => {
    activity += 1;
    started();
  });
  const { aspects, overrides, concurrency } = options;
  return run(graph, inputs as never, {
    ...(aspects === undefined ? {} : { aspects }),
    ...(overrides === undefined ? {} : { overrides }),
    ...(concurrency === undefined ? {} : { concurrency }),
    host: idleHost({ busy: () => false, activity: () => activity, seed: plan.seed }),
  });
}

export function generatedCase(program: CrashProgram, medium: Medium, { seed }: RunPlan): NamedCase {
  const { name: store, ...rest } = medium;
  return { name: `graph ${seed}`, program, subject: "generated", store, input: String(seed), ...rest };
}

/** Streams: a producer by position, handlers with state, groups that share (STR-21 to STR-29). */
export function messagesCase(program: CrashProgram, medium: Medium, input: MessagesInput): NamedCase {
  const { name: store, ...rest } = medium;
  const name = input.mounted ? "messages of a mount" : "messages";
  return { name, program, subject: "messages", store, input: JSON.stringify(input), ...rest };
}

/** A graph whose processes begin with deleting runs and collecting contents. */
export function housekeepingCase(program: CrashProgram, medium: Medium, { seed }: RunPlan): NamedCase {
  const { name, ...rest } = medium;
  const store = housekeepingOn(name);
  return { name: "housekeeping", program, subject: "generated", store, input: String(seed), ...rest };
}

/** A folder of made-up prose for the main job. */
export interface JobFolder extends AsyncDisposable {
  readonly case: NamedCase;
}

const filesInFolder = 24;

export async function jobCase(
  program: CrashProgram,
  { name: store, ...rest }: Medium,
  seed: number,
): Promise<JobFolder> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "pulse-prose-")));
  for (const [path, text] of Object.entries(proseFiles(seed, filesInFolder))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const input: JobInput = { folder, seed };
  return {
    case: { name: "main job", program, subject: "job", store, input: JSON.stringify(input), ...rest },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
