import type { OutputsOf, Ports } from "../infer.ts";
import type { AnyKey } from "../key.ts";
import type { ExecutionState } from "./execution-state.ts";
import { usage } from "./signals.ts";
import { ready } from "./slot.ts";

/** One output: ready with a value, or skipped (CORE-31). */
export type Output<Value> = { readonly state: "ready"; readonly value: Value } | { readonly state: "skipped" };

/** What a completed execution gives. There is none otherwise (CORE-31). */
export interface Outcome<Values = Readonly<Record<string, unknown>>> {
  /** The ready outputs by name. Asking for a skipped one throws PULSE_USAGE naming it; see `outputs` first. */
  readonly values: Values;
  readonly outputs: { readonly [Name in keyof Values]: Output<Values[Name]> };
  /** The paths of nodes whose given-up bodies still ran when `drainTimeout` was over (CORE-30). */
  readonly abandoned: readonly string[];
}

/** The outcome of a graph, by its type. */
export type OutcomeOf<Graph extends Ports> = Outcome<OutputsOf<Graph>>;

/** Makes an outcome of outputs in their order; confirmed values are read here, once. */
export function makeOutcome(
  entries: Iterable<readonly [string, Output<unknown>]>,
  abandoned: readonly string[],
): Outcome {
  const values = {};
  const outputs = {};
  for (const [name, output] of entries) {
    define(outputs, name, { value: output, enumerable: true });
    define(
      values,
      name,
      output.state === "ready"
        ? { value: output.value, enumerable: true }
        : {
            get: () => {
              throw usage("CORE-31", `output "${name}" is skipped; look at outputs.${name}.state first`, "", name);
            },
          },
    );
  }
  return { values, outputs, abandoned };
}

const define = Object.defineProperty;

export function outcomeOf(state: ExecutionState): Outcome {
  const { compiled, tree } = state;
  const entries = compiled.outputs.flatMap((slot): (readonly [string, Output<unknown>])[] => {
    const { name, stream } = compiled.keys[slot] as AnyKey;
    // A stream has no value: the host subscribes to it (STR-11).
    if (stream !== undefined) return [];
    if (state.slotState[slot] !== ready) return [[name, { state: "skipped" }]];
    return [[name, { state: "ready", value: state.reveal(state.slotValue[slot]) }]];
  });
  return makeOutcome(entries, [...tree.abandoned]);
}
