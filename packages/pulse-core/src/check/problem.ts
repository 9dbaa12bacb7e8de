import type { Problem, ProblemCode } from "../errors.ts";
import { pathOf } from "./place.ts";
import type { Place } from "./place.ts";

/** Takes one problem. Ends that are places are told by their paths; a suggestion is said in the message as well. */
export type Report = (
  code: ProblemCode,
  place: Place,
  message: string,
  ends?: readonly (Place | string)[],
  suggestion?: string,
) => void;

/** Reports into a list. */
export const reporter =
  (problems: Problem[]): Report =>
  (code, place, message, ends, suggestion) =>
    void problems.push({
      code,
      message: suggestion === undefined ? message : `${message}; did you mean "${suggestion}"?`,
      path: pathOf(place),
      ...(ends && { ends: ends.map((end) => (typeof end === "string" ? end : pathOf(end))) }),
      ...(suggestion !== undefined && { suggestion }),
    });
