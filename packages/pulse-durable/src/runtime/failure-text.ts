import { isPulseError } from "@pulse-ts/core";
import { toWellFormed } from "../record/plain.ts";

/** Texts that others wrote may hold anything: what is recorded is well-formed (REC-15). */
export function failureText(error: unknown): string {
  try {
    const text = error instanceof Error || isPulseError(error) ? error.message : String(error);
    return toWellFormed(text.slice(0, failureTextMax));
  } catch {
    return "an error that cannot be described";
  }
}

/** Characters of a failure's text that are kept. */
export const failureTextMax = 10_000;
