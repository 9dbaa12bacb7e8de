import type { Problem, ProblemCode } from "../errors.ts";

/** One problem; `suggestion` is said in the message as well. */
export function problem(
  code: ProblemCode,
  path: string,
  message: string,
  ends?: readonly string[],
  suggestion?: string,
): Problem {
  return {
    code,
    message: suggestion === undefined ? message : `${message}; did you mean "${suggestion}"?`,
    path,
    ...(ends && { ends }),
    ...(suggestion !== undefined && { suggestion }),
  };
}

/** What a value is, for messages about values that should be something else. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const kind = typeof value === "object" ? (value as { readonly kind?: unknown }).kind : undefined;
  return typeof kind === "string" ? `of kind "${kind}"` : typeof value;
}

/** A name for messages, also if it is none. */
export const wordOf = (name: unknown): string => (typeof name === "string" ? name : `(${kindOf(name)})`);
