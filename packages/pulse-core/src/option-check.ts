import { nearMiss } from "./check/near-miss.ts";
import { invalid } from "./invalid.ts";

/** What is wrong with a number that counts something, if anything is. */
export const countProblem = (what: string, value: unknown): string | undefined =>
  Number.isInteger(value) && (value as number) > 0 ? undefined : `${what} is ${String(value)}; give a positive integer`;

/** What is wrong with a span of time, if anything is. */
export const timeProblem = (what: string, value: unknown): string | undefined =>
  typeof value === "number" && value >= 0 ? undefined : `${what} is ${String(value)}; give milliseconds, 0 or more`;

/** What is wrong with each name that is no option's: one that is not known would have no effect, silently (CORE-29). */
export function unknownProblems(given: object, known: readonly string[]): readonly string[] {
  const suggest = nearMiss(() => known);
  return Object.keys(given).flatMap((name) =>
    known.includes(name) ? [] : `option ${name} is unknown; give ${suggest(name) ?? `one of ${known.join(", ")}`}`,
  );
}

/** Refuses options of an aspect, where the aspect is made. What is `undefined` is no problem. */
export function refuse(aspect: string, found: readonly (string | undefined)[]): void {
  const messages = found.filter((message) => message !== undefined);
  if (messages.length > 0)
    throw invalid(
      `aspect ${aspect}`,
      messages.map((message) => ({ code: "PULSE_OPTION_INVALID", path: aspect, message })),
    );
}
