import type { AnyGraph, Execution, Outcome } from "@pulse-ts/core";
import { isPulseError } from "@pulse-ts/core";
import { durableAt } from "../../faults/durable-at.ts";
import { memoryStore } from "../../memory-store.ts";
import type { RunRecord } from "../../record/format.ts";
import { faultyStore } from "../faulty-store.ts";
import { seeded } from "../random.ts";
import { turn } from "../worker.ts";
import { read } from "./bodies.ts";
import type { Life } from "./life.ts";
import { planOf } from "./plan.ts";
import type { Disturbance, ProgramPlan } from "./plan.ts";
import { programGraph } from "./program-graph.ts";
import { recordFaults } from "./record-faults.ts";
import { Witness } from "./witness.ts";

/** What a program was seen to do. Every fault is a sentence. */
export interface ProgramReport {
  readonly faults: readonly string[];
  /** How often each thing was done: a test looks whether the programs reach it. */
  readonly done: Readonly<Record<string, number>>;
}

/** How a process ended: with the run, or before it. */
type End = { readonly kind: "completed"; readonly outcome: Outcome } | { readonly kind: "failed" | "stopped" };

/** Runs one random program through all its processes, and holds what was seen against the model. */
export async function runProgram(seed: number): Promise<ProgramReport> {
  const plan = planOf(seed);
  const memory = memoryStore();
  const witness = new Witness(seed);
  let before: RunRecord | undefined;
  for (let processes = 0; ; processes++) {
    const end = await live(plan, processes, memory, witness);
    witness.processEnded();
    const record = await memory.catalog.read("run").catch(() => undefined);
    for (const fault of recordFaults(before, record)) witness.fault(`after process ${processes + 1}: ${fault}`);
    before = record;
    witness.did(end.kind);
    if (end.kind === "failed" && !witness.fatal) witness.fault("the run failed, and nothing was to");
    if (end.kind === "completed") completed(plan, witness, record, end.outcome);
    if (end.kind !== "stopped") break;
    if (processes <= plan.disturbances.length) continue;
    witness.fault("the run does not come to its end");
    break;
  }
  return { faults: witness.faults, done: witness.done };
}

function completed(plan: ProgramPlan, witness: Witness, record: RunRecord | undefined, outcome: Outcome): void {
  const { handler } = plan;
  const groups = [...(record?.streams.values() ?? [])];
  const sent = groups.find(({ key }) => key.startsWith("values"))?.lastSequence ?? 0;
  witness.completed(sent);
  for (const { group, key, ackedThrough, lastSequence, stopped, end } of groups) {
    if (end !== "completed") witness.fault(`stream ${key} is ${end} for ${group} of a completed run`);
    if (!stopped && ackedThrough !== lastSequence)
      witness.fault(`${group} of ${key} has a rest: ${ackedThrough} of ${lastSequence}`);
  }
  if (record !== undefined && record.messages.size > 0) witness.fault(`${record.messages.size} messages are left`);
  if (handler === undefined) return;
  const handled = Math.min(sent, handler.stopAt ?? sent);
  if (witness.handled !== handled) witness.fault(`${witness.handled} messages were handled of ${handled}`);
  let sum = 0;
  for (let each = 1; each <= handler.contributeAt; each++) sum += witness.valueOf(each);
  // The cast stands for the graph's one plain output.
  const output = outcome.outputs["total"] as { readonly state: string; readonly value?: unknown } | undefined;
  const total = output?.state === "ready" ? output.value : undefined;
  const wanted = handler.contributeAt <= handled ? sum : undefined;
  if (total !== wanted) witness.fault(`the total is ${String(total)}, not ${wanted}`);
}

/** One process, until its run has ended or it is gone. */
async function live(
  plan: ProgramPlan,
  index: number,
  memory: ReturnType<typeof memoryStore>,
  witness: Witness,
): Promise<End> {
  const store = faultyStore(memory);
  const life: Life = { plan, witness, random: seeded(plan.seed * 31 + index), alive: true, interrupted: false };
  const disturbance = plan.disturbances[index];
  const abort = new AbortController();
  let die: (end: End) => void = () => {};
  const death = new Promise<End>((resolve) => (die = resolve));
  let left = disturbance === undefined || disturbance.kind === "cancel" ? Infinity : disturbance.at;
  const pulse = durableAt({ store }, (point) => {
    if (--left !== 0) return undefined;
    life.interrupted = true;
    if (disturbance?.kind === "throw") throw new Error(`a fault at ${point}`);
    life.alive = false;
    witness.did("crashed");
    void store.crash().then(() => die({ kind: "stopped" }));
    return new Promise<void>(() => {});
  });
  const { graph, values } = programGraph(life);
  let rest: Promise<boolean> | undefined;
  const beforeStart = (execution: Execution<unknown>): void => {
    if (disturbance?.kind === "cancel") void cancelAfter(disturbance, abort, life);
    const { host } = plan;
    if (host === undefined) return;
    const reader = execution.subscribe(values, { group: "host" });
    const at = { stream: "values", group: "host", plan: { ...host, fails: [] }, attempt: 1 };
    rest = read(life, reader, at).then(
      () => true,
      (error: unknown) => {
        if (!isPulseError(error)) witness.fault(`the host's reader ended with ${String(error)}`);
        return false;
      },
    );
  };
  const options = { runId: "run", version: "1", signal: abort.signal, beforeStart };
  const run = async (): Promise<End> => {
    try {
      // The cast stands for a graph without inputs.
      const outcome = await pulse.runOrResume(graph as AnyGraph, {} as never, options);
      // A completed run is read to its end (STR-53).
      const isRead = (await rest) ?? true;
      return isRead ? { kind: "completed", outcome } : { kind: "stopped" };
    } catch (error) {
      if (isPulseError(error, "PULSE_RUN_FAILED")) return { kind: "failed" };
      if (isPulseError(error, "PULSE_INTERRUPTED") || isPulseError(error, "PULSE_CHECKPOINT"))
        return { kind: "stopped" };
      if (isPulseError(error, "PULSE_STORE") || (error as Error).message.startsWith("a fault at"))
        return { kind: "stopped" };
      witness.fault(`the run ended with ${String(error)}`);
      return { kind: "stopped" };
    }
  };
  const watch = new AbortController();
  const end = await Promise.race([run(), death, watchdog(witness, watch.signal)]);
  watch.abort();
  life.alive = false;
  await turn();
  await store.crash();
  return end;
}

async function cancelAfter(
  { after }: Extract<Disturbance, { kind: "cancel" }>,
  abort: AbortController,
  life: Life,
): Promise<void> {
  for (let left = after; left > 0; left--) await Promise.resolve();
  if (life.alive) life.witness.did("cancelled");
  life.interrupted = true;
  abort.abort(new Error("the host stops"));
}

/** A program takes milliseconds. */
const hangMs = 20_000;

async function watchdog(witness: Witness, signal: AbortSignal): Promise<End> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => {
      witness.fault("a process hangs");
      resolve({ kind: "stopped" });
    }, hangMs);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}
