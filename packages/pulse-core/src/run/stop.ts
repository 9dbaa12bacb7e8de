import { isInterruption } from "./signals.ts";

/** A real failure and the path of the node that it came from. */
export interface Failure {
  readonly error: unknown;
  readonly path: string;
}

/** How an execution came to stop before its time. The first reason stays (CORE-11). */
export type Stop =
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "interrupted"; readonly reason: unknown }
  | { readonly kind: "unreliable" };

/** Whether an error that came after the stop says what the stop does not: the host's own reason is told already. */
export function saysMore(error: unknown, stop: Stop): boolean {
  // What the engine itself raised to end a wait says nothing that the reason does not.
  if (isInterruption(error)) return false;
  if (stop.kind === "interrupted") return stop.reason !== error;
  return stop.kind !== "failed" || stop.failure.error !== error;
}

/** Whether a body's error says no more than that it was aborted. */
export function isAbort(error: unknown, reason: unknown): boolean {
  if (error === reason || isInterruption(error)) return true;
  try {
    return typeof error === "object" && error !== null && (error as Error).name === "AbortError";
  } catch {
    return false;
  }
}
