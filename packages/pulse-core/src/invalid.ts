import { PulseError } from "./errors.ts";
import type { Problem } from "./errors.ts";

/** One error for all that is wrong with something, before anything of it runs (CORE-26). */
export function invalid(what: string, problems: readonly Problem[]): PulseError<"PULSE_INVALID"> {
  const lines = problems.map(({ path, message }) => `\n- at ${path}: ${message}`).join("");
  return new PulseError("PULSE_INVALID", `${what} has ${problems.length} problem(s):${lines}`, {
    details: { problems },
  });
}
