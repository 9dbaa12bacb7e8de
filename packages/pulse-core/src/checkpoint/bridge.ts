import { engineOf } from "../run/execution.ts";
import type { Execution } from "../run/execution.ts";
import type { ReceivedInput } from "../run/inputs.ts";
import type { Checkpoint } from "../run/options.ts";
import { usage } from "../run/signals.ts";
import { HookDriver } from "./driver.ts";
import type { CheckpointOptions, RestorePlan } from "./hooks.ts";
import { streamHookNames } from "./stream-hooks.ts";

const plainHooks = ["openAttempt", "failAttempt", "openChild", "commit"] as const;

/** The value of the execution option `checkpoint`: every node of the tree goes by CKPT-1 (CKPT-7). */
export function checkpoint(options: CheckpointOptions): Checkpoint {
  return {
    runId: options.runId,
    driver: () => new HookDriver(options),
    problems: () => problemsOf(options),
  };
}

function problemsOf({ scope, hooks }: CheckpointOptions): readonly string[] {
  const problems: string[] = [];
  if (typeof scope !== "string" || scope === "") problems.push("checkpoint: the root scope is empty; give its id");
  for (const name of plainHooks)
    if (typeof hooks?.[name] !== "function")
      problems.push(`checkpoint: the hook ${name} is missing; all four are needed`);
  const { streams } = hooks ?? {};
  if (streams !== undefined)
    for (const name of streamHookNames)
      if (typeof streams[name] !== "function")
        problems.push(`checkpoint: the stream hook ${name} is missing; give all six or none`);
  return problems;
}

/** The external inputs that an execution really received (CKPT-27). A copy; the values in it are not copied. */
export function checkpointInputs(execution: Execution<unknown>): ReadonlyMap<string, ReceivedInput> {
  return new Map([...engineOf(execution).received].map(([name, input]) => [name, { ...input }]));
}

/**
 * Gives the plan of what is confirmed, before the start; a later good one replaces it, a bad one leaves it (CKPT-24).
 * @throws PULSE_INVALID with every problem of the plan; PULSE_USAGE after the start, or without checkpoints
 */
export function restoreNodes(execution: Execution<unknown>, plan: RestorePlan): void {
  const { state } = engineOf(execution);
  const name = state.compiled.graph.name;
  if (state.started) throw usage("CKPT-24", `the execution of graph "${name}" has started; give its plan before`, "");
  const driver = state.tree.checkpoint;
  if (driver === undefined)
    throw usage("CKPT-24", `the execution of graph "${name}" has no checkpoints; give it the option checkpoint`, "");
  driver.plan(state, plan);
}
