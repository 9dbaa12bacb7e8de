import { isInterruption } from "./signals.ts";

/** How an execution came to stop before its time. The first reason stays (CORE-11). */
export type Stop =
  /** By a real failure, at the path of the node that it came from. */
  | { readonly kind: "failed"; readonly error: unknown; readonly path: string }
  | { readonly kind: "interrupted"; readonly reason: unknown }
  | { readonly kind: "unreliable" };

/** How an execution that has ended did so. */
export const endOf = (stop: Stop | undefined): "completed" | "failed" | "interrupted" =>
  stop === undefined ? "completed" : stop.kind === "failed" ? "failed" : "interrupted";

/** Whether an error that came after the stop says what the stop does not: the host's own reason is told already. */
export function saysMore(error: unknown, stop: Stop): boolean {
  // What the engine itself raised to end a wait says nothing that the reason does not.
  if (isInterruption(error)) return false;
  if (stop.kind === "interrupted") return stop.reason !== error;
  return stop.kind !== "failed" || stop.error !== error;
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
