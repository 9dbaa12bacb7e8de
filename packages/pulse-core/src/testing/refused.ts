import type { Problem } from "../errors.ts";
import { isPulseError } from "../errors.ts";
import { graph } from "../graph.ts";

/** The table of a graph as JavaScript users write it: TypeScript has no word in it. */
export interface LooseSpec {
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly nodes?: unknown;
  readonly aspects?: unknown;
}

/** The problems for which `graph` refuses a table; none if it takes it. */
export function refusedFor(spec: LooseSpec, name: unknown = "order"): readonly Problem[] {
  try {
    graph(name as string, spec as never);
  } catch (error) {
    if (isPulseError(error, "PULSE_INVALID")) return error.details.problems;
    throw error;
  }
  return [];
}

/** The only problem for which `graph` refuses a table. */
export function onlyProblem(spec: LooseSpec, name?: unknown): Problem {
  const [problem, ...more] = refusedFor(spec, name);
  if (problem === undefined || more.length > 0)
    throw new Error(`one problem expected: ${JSON.stringify([problem, ...more])}`);
  return problem;
}
