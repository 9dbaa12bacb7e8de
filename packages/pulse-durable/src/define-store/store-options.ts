import { PulseError } from "@pulse-ts/core";
import type { Problem } from "@pulse-ts/core";

/** What is wrong with the value of one option, to stand after its name; `undefined` when nothing is. */
export type OptionCheck = (value: unknown) => string | undefined;

/**
 * Refuses options that cannot be, and names that no option has: one that is not known would have no effect, silently,
 * where no type checker looks. `checks` has every option, so that one that is added cannot be forgotten.
 * @throws PULSE_INVALID with every problem
 */
export function checkOptions<Options extends object>(
  doing: string,
  options: unknown,
  checks: Readonly<Record<keyof Options & string, OptionCheck>>,
): asserts options is Options {
  const known = Object.entries<OptionCheck>(checks);
  const names = known.map(([name]) => name);
  if (typeof options !== "object" || options === null) {
    const message = `the options are ${shown(options)}; give an object with ${names.join(", ")}`;
    throw invalid(doing, [{ code: "PULSE_OPTION_INVALID", message, path: "options" }]);
  }
  const given = options as Readonly<Record<string, unknown>>;
  const problems: Problem[] = [];
  const refuse = (path: string, wrong: string): void => {
    problems.push({ code: "PULSE_OPTION_INVALID", message: `${path} ${wrong}`, path });
  };
  for (const [name, check] of known) {
    const wrong = check(given[name]);
    if (wrong !== undefined) refuse(name, wrong);
  }
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) refuse(name, `is no option; there are ${names.join(", ")}`);
  }
  if (problems.length > 0) throw invalid(doing, problems);
}

/** The check of an option that may be left out. `wanted` says what to give. */
export function optional(isRight: (value: unknown) => boolean, wanted: string): OptionCheck {
  return (value) => (value === undefined || isRight(value) ? undefined : `is ${shown(value)}; give ${wanted}`);
}

/** The check of an option that is a whole number from `least`, or left out. */
export const wholeFrom = (least: number, unit: string): OptionCheck =>
  optional((value) => Number.isSafeInteger(value) && (value as number) >= least, `whole ${unit} from ${least}`);

export const isText = (value: unknown): value is string => typeof value === "string";

/** A value in words: it may be one that no text can be made of. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function" || typeof value === "symbol" || (typeof value === "object" && value !== null))
    return `a value of type ${typeof value}`;
  return String(value);
}

const invalid = (doing: string, problems: readonly Problem[]): PulseError<"PULSE_INVALID"> =>
  new PulseError("PULSE_INVALID", `${doing}: ${problems.map(({ message }) => message).join("; ")}`, {
    details: { problems },
  });
