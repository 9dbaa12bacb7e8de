import type { Problem, ProblemCode } from "../errors.ts";
import { pathOf } from "./place.ts";
import type { Place } from "./place.ts";

/** One problem. Ends that are places are told by their paths; a suggestion is said in the message as well. */
export function problem(
  code: ProblemCode,
  place: Place,
  message: string,
  ends?: readonly (Place | string)[],
  suggestion?: string,
): Problem {
  return {
    code,
    message: suggestion === undefined ? message : `${message}; did you mean "${suggestion}"?`,
    path: pathOf(place),
    ...(ends && { ends: ends.map((end) => (typeof end === "string" ? end : pathOf(end))) }),
    ...(suggestion !== undefined && { suggestion }),
  };
}
