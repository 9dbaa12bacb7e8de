import { checkpoint, restoreNodes } from "../checkpoint/bridge.ts";
import type { CheckpointHooks } from "../checkpoint/hooks.ts";
import type { InputsOf, Ports } from "../infer.ts";
import type { AnyGraph } from "../mount.ts";
import { execution } from "../run/execution.ts";
import type { Execution } from "../run/execution.ts";
import type { ExecutionOptions } from "../run/options.ts";
import type { OutcomeOf } from "../run/outcome.ts";
import { recordingHooks } from "./recording-hooks.ts";
import type { RecordingHooks } from "./recording-hooks.ts";
import type { RunRecord } from "./run-record.ts";

/** The root scope of every execution of these tests. */
export const rootScope = "root";

/** An execution with checkpoints, not started. */
export function checkpointed<Graph extends AnyGraph & Ports>(
  graph: Graph,
  inputs: InputsOf<Graph>,
  hooks: CheckpointHooks,
  options: ExecutionOptions = {},
): Execution<OutcomeOf<Graph>> {
  return execution(graph, inputs, { ...options, checkpoint: checkpoint({ scope: rootScope, hooks }) });
}

/** Runs with checkpoints to the end. */
export function runCheckpointed<Graph extends AnyGraph & Ports>(
  graph: Graph,
  inputs: InputsOf<Graph>,
  hooks: CheckpointHooks,
  options: ExecutionOptions = {},
): Promise<OutcomeOf<Graph>> {
  const running = checkpointed(graph, inputs, hooks, options);
  running.start();
  return running.wait();
}

export interface ResumeOptions extends ExecutionOptions {
  /** Awaited in each hook call. */
  readonly pace?: () => Promise<void>;
  readonly idempotencyKey?: (scope: string, nodeId: string) => string;
}

/** An execution of the same run after a crash or a stop: what the record has confirmed is restored. Not started. */
export function resumed<Graph extends AnyGraph & Ports>(
  graph: Graph,
  inputs: InputsOf<Graph>,
  record: RunRecord,
  { pace, idempotencyKey, ...options }: ResumeOptions = {},
): { readonly hooks: RecordingHooks; readonly running: Execution<OutcomeOf<Graph>> } {
  const hooks = recordingHooks(record, pace);
  const running = execution(graph, inputs, {
    ...options,
    checkpoint: checkpoint({ scope: rootScope, hooks, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
  });
  restoreNodes(running as Execution<unknown>, { nodes: record.confirmed(rootScope) });
  return { hooks, running };
}
