import { isPulseError, PulseError } from "@pulse-ts/core";
import type { AnyGraph, Problem } from "@pulse-ts/core";
import { checkpointPorts } from "@pulse-ts/core/checkpoint";
import type { Codecs } from "@pulse-ts/codec";

/**
 * Does what checks the inputs of a run. What a schema says of one that is to be encrypted may quote it, so its words and
 * issues are kept back (CODEC-11).
 */
export function keepingBack<Result>(graph: AnyGraph, codecs: Codecs, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isPulseError(error, "PULSE_INVALID")) throw error;
    const secret = secretInputs(graph, codecs);
    if (secret.size === 0) throw error;
    const problems = error.details.problems.map((problem) => keptBack(problem, secret));
    const lines = problems.map(({ path, message }) => `\n- at ${path}: ${message}`).join("");
    throw new PulseError("PULSE_INVALID", `graph "${graph.name}" has ${problems.length} problem(s):${lines}`, {
      details: { problems },
    });
  }
}

function keptBack(problem: Problem, secret: ReadonlySet<string>): Problem {
  const [name = ""] = problem.ends ?? [];
  if (problem.code !== "PULSE_INPUT_INVALID" || !secret.has(name)) return problem;
  const { issues: _, ...rest } = problem;
  const message = `input "${name}" does not fit its schema; what that says is kept back, since the input is encrypted`;
  return { ...rest, message };
}

/** The names of root inputs of which at least a part is encrypted. */
function secretInputs(graph: AnyGraph, codecs: Codecs): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { key } of checkpointPorts(graph)[0]?.inputs ?? []) {
    try {
      const { fingerprintKeys = [] } = codecs.forType(key.type, key.name);
      if (fingerprintKeys.length > 0) names.add(key.name);
    } catch {
      // A key without a codec is refused when the graph is prepared; until then nothing is known of it.
      names.add(key.name);
    }
  }
  return names;
}
