import { isPulseError } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import type { NodeContext } from "../run/node-context.ts";
import type { Attempt, ChildScope, ConfirmedOutput } from "./hooks.ts";

// What a hook gives back decides what is published. A malformed answer is looked at while the call is still the hook's, so
// that it is a reliable failure (CKPT-11); seen later it would pass for the node's own.

/** An attempt has an id and an index. */
export function checkedAttempt(attempt: Attempt): Attempt {
  if (typeof attempt?.id !== "string" || attempt.id === "" || !(attempt.index >= 1))
    throw new TypeError("openAttempt gave back no attempt: an id and an index from 1 are needed");
  return attempt;
}

/** A child scope has a list of nodes. A scope failure that is given back is none, whatever stands beside it (CKPT-37). */
export function checkedChild(child: ChildScope): ChildScope {
  if (
    isPulseError(child) ||
    !Array.isArray(child?.nodes) ||
    !(child.streams === undefined || Array.isArray(child.streams)) ||
    !(child.inputs === undefined || typeof child.inputs.get === "function")
  )
    throw new TypeError("openChild gave back no child scope: a list of nodes is needed");
  return child;
}

/** The confirmed outputs, one for each key of the node, in the order of its `provides`. */
export function checkedOutputs(level: NodeContext, confirmed: readonly ConfirmedOutput[]): readonly ConfirmedOutput[] {
  const { node, execution, path } = level;
  const byName = new Map(
    (Array.isArray(confirmed) ? confirmed : []).map((output: ConfirmedOutput) => [output.name, output]),
  );
  const outputs = node.provides.map((slot) => byName.get((execution.compiled.keys[slot] as AnyKey).name));
  const fits = (output: ConfirmedOutput | undefined, at: number): boolean => {
    // A stream is there already: what is confirmed of it under this name must be of the same source (STR-12).
    const stream = execution.tree.streams?.refAt(execution, node.provides[at] as number);
    if (stream === undefined) return isOutput(output);
    return output?.state === "stream" && output.sourceId === stream.sourceId;
  };
  if (!Array.isArray(confirmed) || confirmed.length !== outputs.length || !outputs.every(fits))
    throw new TypeError(`commit of node "${path}" gave back other outputs than the node provides`);
  // Each is there: that was looked at.
  return outputs as readonly ConfirmedOutput[];
}

const isOutput = (output: ConfirmedOutput | undefined): output is ConfirmedOutput =>
  output !== undefined &&
  (output.state === "skipped" || (output.state === "ready" && typeof output.read === "function"));
