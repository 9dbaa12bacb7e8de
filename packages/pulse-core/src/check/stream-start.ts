import type { Problem } from "../errors.ts";
import type { ExecutionState } from "../run/execution-state.ts";
import type { ReceivedInput } from "../run/inputs.ts";
import type { ExecutionOptions } from "../run/options.ts";
import { hiddenIn } from "../streams/hidden.ts";
import { isStream } from "../streams/plan.ts";
import type { StreamPlan } from "../streams/plan.ts";
import { reporter } from "./problem.ts";
import { checkRetries } from "./stream.ts";

/** What is wrong with an execution of a graph that has streams, before anything of it runs. */
export function checkExecution(
  { tree, compiled: { graph, keys, inputs } }: ExecutionState,
  plan: StreamPlan,
  options: ExecutionOptions,
  received: ReadonlyMap<string, ReceivedInput>,
  problems: Problem[],
): void {
  const path = graph.name;
  const bad = (code: Problem["code"], message: string, ends?: readonly string[]): void =>
    void problems.push({ code, path, message, ...(ends && { ends }) });
  if (tree.checkpoint !== undefined && tree.checkpoint.streamHooks === undefined)
    bad("PULSE_OPTION_INVALID", "checkpoint: this graph has streams, and the stream hooks are missing; give all six");
  for (const { name, slot, optional } of inputs) {
    const key = keys[slot];
    const given = received.get(name);
    if (key !== undefined && isStream(key)) {
      if (!optional || given?.state === "ready")
        bad("PULSE_INPUT_INVALID", `input "${name}" is a stream; a node writes it, no host gives it`, [name]);
    } else if (given?.state === "ready" && typeof given.value === "object" && given.value !== null) {
      const where = hiddenIn(given.value, options.checkpoint !== undefined);
      if (where !== undefined)
        bad("PULSE_STREAM_HIDDEN", `input "${name}" holds a stream${where === "" ? "" : ` at ${where}`}`, [name]);
    }
  }
  const replaced = options.overrides?.keys ?? {};
  for (const { path: writer, key } of plan.sources) {
    const name = `${writer.slice(0, writer.lastIndexOf("/") + 1)}${key.name}`;
    if (Object.hasOwn(replaced, name))
      bad("PULSE_OPTION_INVALID", `the overrides give a value for stream "${name}"; override node "${writer}" instead`);
  }
  const { aspects } = options;
  if (Array.isArray(aspects)) checkRetries(graph, plan, aspects, reporter(problems));
}
