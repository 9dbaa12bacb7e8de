import type { CompiledGraph } from "../compile.ts";
import type { Problem, ProblemCode } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import { skipped } from "../skipped.ts";
import { isStandardSchema } from "../type.ts";
import { textOf } from "./text-of.ts";

/** One root input as it was received (CKPT-27). */
export type ReceivedInput = { readonly state: "ready"; readonly value: unknown } | { readonly state: "skipped" };

/** Checks what the host gave against the graph's inputs and their schemas (CORE-28, CORE-41). */
export function receiveInputs(
  compiled: CompiledGraph,
  given: Readonly<Record<string, unknown>>,
  problems: Problem[],
): ReadonlyMap<string, ReceivedInput> {
  const graph = compiled.graph.name;
  const received = new Map<string, ReceivedInput>();
  const bad = (code: ProblemCode, name: string, message: string, issues?: readonly unknown[]): void =>
    void problems.push({ code, path: graph, message, ends: [name], ...(issues === undefined ? {} : { issues }) });
  if (typeof given !== "object" || given === null) {
    bad(
      "PULSE_INPUT_INVALID",
      "",
      `the inputs are ${given === null ? "null" : `a ${typeof given}`}; give an object by input name`,
    );
    return received;
  }
  const names = new Set(compiled.inputs.map((input) => input.name));
  let values: Readonly<Record<string, unknown>>;
  try {
    // Read once: a getter or a proxy may throw, or answer differently the second time.
    values = { ...given };
  } catch (error) {
    bad("PULSE_INPUT_INVALID", "", `reading the inputs threw: ${textOf(error)}; give a plain object by input name`);
    return received;
  }
  for (const name of Object.keys(values))
    if (!names.has(name))
      bad(
        "PULSE_INPUT_UNKNOWN",
        name,
        `input "${name}" is not one of this graph's (${[...names].join(", ") || "it has none"})`,
      );
  for (const { name, slot, optional } of compiled.inputs) {
    const has = Object.hasOwn(values, name);
    const value = has ? values[name] : skipped;
    if (value === skipped) {
      if (optional) received.set(name, { state: "skipped" });
      else if (has) bad("PULSE_INPUT_INVALID", name, `input "${name}" is skipped, but not declared optional`);
      else bad("PULSE_INPUT_MISSING", name, `input "${name}" is missing; give it, or declare it optional`);
      continue;
    }
    const checked = check(compiled.keys[slot] as AnyKey, value);
    if (checked.kind === "async")
      bad(
        "PULSE_INPUT_ASYNC",
        name,
        `the schema of input "${name}" answers asynchronously; use one that answers at once`,
      );
    else if (checked.kind === "issues")
      bad("PULSE_INPUT_INVALID", name, `input "${name}" does not fit: ${checked.text}`, checked.issues);
    else received.set(name, { state: "ready", value: checked.value });
  }
  return received;
}

type Checked =
  | { readonly kind: "fits"; readonly value: unknown }
  | { readonly kind: "async" }
  | { readonly kind: "issues"; readonly text: string; readonly issues: readonly unknown[] };

function check(key: AnyKey, value: unknown): Checked {
  if (!isStandardSchema(key.type)) return { kind: "fits", value };
  let result: ReturnType<(typeof key.type)["~standard"]["validate"]>;
  try {
    result = key.type["~standard"].validate(value);
  } catch (error) {
    // A schema that throws, as zod's do for async refinements, refuses the value as well.
    if (/async|promise/i.test(textOf(error))) return { kind: "async" };
    return { kind: "issues", text: textOf(error), issues: [error] };
  }
  if (result instanceof Promise) {
    result.catch(() => {});
    return { kind: "async" };
  }
  if (result.issues === undefined) return { kind: "fits", value: result.value };
  const text = result.issues
    .map((issue) => {
      const path = issue.path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
      return path ? `${path}: ${issue.message}` : issue.message;
    })
    .join("; ");
  return { kind: "issues", text, issues: result.issues };
}
