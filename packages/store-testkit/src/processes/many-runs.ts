import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { unmet } from "../expectation.ts";
import { sampleRun } from "../sample-run.ts";
import { takeoverLimitMs } from "./kill-sweep.ts";
import { modulePath } from "./module-path.ts";
import { workRunId } from "./process-order.ts";
import { startProcess } from "./start-process.ts";
import type { StoreProcess } from "./start-process.ts";

export interface ManyRunsOptions {
  readonly processes: number;
  readonly runs: number;
  /** Saves of each run, by whomever. */
  readonly times: number;
}

/** Lets processes race for runs, and proves from what all of them wrote down that each run had one owner at a time (KIT-3). */
export async function manyRuns(bench: Bench, { processes, runs, times }: ManyRunsOptions): Promise<void> {
  const { subject, place, seed, signal } = bench;
  const folder = await mkdtemp(join(tmpdir(), "pulse-race-"));
  const log = join(folder, "log");
  const all: StoreProcess[] = [];
  try {
    while (all.length < processes) all.push(await startProcess(modulePath(bench), signal));
    await Promise.all(all.map(async (each) => await each.next("ready")));
    const start = performance.now();
    for (const [worker, each] of all.entries()) {
      each.order({ kind: "open", place, seed, busyMsMax: takeoverLimitMs(subject) });
      each.order({ kind: "work", runs, times, log, worker });
      each.order({ kind: "end" });
    }
    await Promise.all(all.map(worked));
    const lines = (await readFile(log, "utf8")).trimEnd().split("\n").map(readNote);
    const problem = raceProblem(lines, { runs, times });
    if (problem !== undefined) throw unmet(problem, "one owner at a time, and each save once");
    bench.say(
      `${runs} runs, ${lines.length} notes of ${processes} processes, ${Math.round(performance.now() - start)} ms`,
    );
  } finally {
    await Promise.all(all.map(async (each) => await each.kill()));
    await rm(folder, { recursive: true, force: true });
  }
  const store = await bench.open();
  for (let number = 0; number < runs; number += 1) {
    const session = await bench.acquire(store, workRunId(number));
    await bench.loads(session, sampleRun(workRunId(number)).at(times));
    await session.close();
  }
}

async function worked(each: StoreProcess): Promise<void> {
  for (;;) {
    const event = await each.next("loaded", "done", "failed");
    if (event.kind === "failed")
      throw unmet(`${event.doing} failed with ${event.code}: ${event.message}`, "an owner, or PULSE_BUSY");
    if (event.kind === "loaded" && event.difference !== undefined)
      throw unmet(event.difference, "the record as it was saved");
    if (event.kind === "done" && event.doing === "work") return;
  }
}

/** What one process wrote down, in the order of all of them. */
export interface RaceNote {
  readonly runId: string;
  readonly worker: number;
  /** `begin`: after it was acquired. `end`: before it is closed. */
  readonly what: "begin" | "end" | `saved ${number}`;
}

function readNote(line: string): RaceNote {
  // Written by `work` of the same package.
  const [runId, worker, what] = JSON.parse(line) as [string, number, RaceNote["what"]];
  return { runId, worker, what };
}

/** What is wrong with the notes of a race; `undefined` when each run had one owner at a time and each save was made once. */
export function raceProblem(
  notes: readonly RaceNote[],
  { runs, times }: Pick<ManyRunsOptions, "runs" | "times">,
): string | undefined {
  const owners = new Map<string, number>();
  const revisions = new Map<string, number>();
  for (const { runId, worker, what } of notes) {
    const owner = owners.get(runId);
    if (what === "begin") {
      if (owner !== undefined) return `process ${worker} acquired run "${runId}" while process ${owner} owned it`;
      owners.set(runId, worker);
      continue;
    }
    if (owner !== worker) return `process ${worker} used run "${runId}", which ${owner ?? "nobody"} owned`;
    if (what === "end") {
      owners.delete(runId);
      continue;
    }
    const revision = (revisions.get(runId) ?? 0) + 1;
    if (what !== `saved ${revision}`) return `process ${worker} ${what} of run "${runId}", where ${revision} was next`;
    revisions.set(runId, revision);
  }
  for (let number = 0; number < runs; number += 1) {
    const saved = revisions.get(workRunId(number)) ?? 0;
    if (saved !== times) return `run "${workRunId(number)}" was saved ${saved} times instead of ${times}`;
  }
  return undefined;
}
