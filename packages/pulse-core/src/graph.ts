import type { Aspect } from "./aspects/aspect.ts";
import { validate } from "./check/validate.ts";
import type { Requirement } from "./context.ts";
import { frozenList } from "./frozen.ts";
import type { CheckNodes, CheckOutputs, InputsOf, NamesIn } from "./infer.ts";
import type { AnyKey } from "./key.ts";
import type { AnyGraph, Mount } from "./mount.ts";
import type { Node } from "./node.ts";
import { execution } from "./run/execution.ts";
import type { Execution } from "./run/execution.ts";
import type { ExecutionOptions } from "./run/options.ts";
import type { OutcomeOf } from "./run/outcome.ts";

/** A built graph: immutable, and may run many times at once (CORE-24). */
export interface Graph<
  Inputs extends readonly Requirement[] = readonly Requirement[],
  Outputs extends readonly AnyKey[] = readonly AnyKey[],
> extends AnyGraph {
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  /**
   * Builds an execution of this graph; nothing runs before its `start` (CORE-28).
   * @throws PULSE_INVALID for inputs or options that do not fit, with every problem
   */
  execution(
    inputs: InputsOf<Graph<Inputs, Outputs>>,
    options?: ExecutionOptions,
  ): Execution<OutcomeOf<Graph<Inputs, Outputs>>>;
}

/** The table that {@link graph} is made of. */
export interface GraphSpec<Inputs, Outputs, Nodes> {
  /** What the host or a mount gives. `optional(key)` may be left out (CORE-41). */
  readonly inputs?: Inputs;
  /** What the outcome holds. */
  readonly outputs?: Outputs;
  readonly nodes: Nodes;
  /** Around each node, outside the node's own aspects, outermost first (CORE-13). */
  readonly aspects?: readonly Aspect[];
}

/**
 * Builds a graph: `graph("digest", { inputs: [url], outputs: [summary], nodes: [download, summarise] })`.
 * @throws PULSE_INVALID with every problem that the graph has (CORE-26)
 */
export function graph<
  const Nodes extends readonly (Node | Mount)[],
  const Inputs extends readonly Requirement[] = readonly [],
  const Outputs extends readonly AnyKey[] = readonly [],
>(
  name: string,
  spec: GraphSpec<
    Inputs,
    Outputs & CheckOutputs<Outputs, NamesIn<Nodes, Inputs>>,
    Nodes & CheckNodes<Nodes, Inputs[number]["name"]>
  >,
): Graph<Inputs, Outputs> {
  const table: AnyGraph & { readonly inputs: Inputs; readonly outputs: Outputs } = {
    kind: "graph",
    name,
    // The casts hold because the copies have the same entries.
    inputs: frozenList<Requirement>(spec?.inputs ?? []) as Inputs,
    outputs: frozenList<AnyKey>(spec?.outputs ?? []) as Outputs,
    nodes: frozenList<Node | Mount>(spec?.nodes),
    aspects: frozenList(spec?.aspects ?? []),
  };
  // Not enumerable: a graph is data to whoever looks at it.
  const made = Object.freeze(
    Object.defineProperty(table, "execution", {
      value: (inputs: InputsOf<Graph<Inputs, Outputs>>, options?: ExecutionOptions) => execution(made, inputs, options),
    }),
  ) as Graph<Inputs, Outputs>;
  validate(made);
  return made;
}
