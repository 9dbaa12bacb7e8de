import { codecError } from "./errors.ts";

/**
 * Refuses names that no option has: one that is not known would have no effect, silently, where no type checker looks.
 * `known` has every option, so that one that is added cannot be forgotten. Shows no value.
 * @throws PULSE_CODEC
 */
export function checkOptionNames<Options extends object>(
  what: string,
  options: unknown,
  known: Readonly<Record<keyof Options & string, true>>,
): asserts options is Partial<Options> {
  const names = Object.keys(known);
  const refuse = (reason: string): never => {
    throw codecError({ action: "prepare", key: undefined, path: "", reason: `${what}: ${reason}` });
  };
  if (typeof options !== "object" || options === null)
    refuse(`its options are no object; there are ${names.join(", ")}`);
  for (const name of Object.keys(options as object)) {
    if (!names.includes(name)) refuse(`${JSON.stringify(name)} is no option; there are ${names.join(", ")}`);
  }
}
