import { sha256Hex } from "@pulse-ts/codec";
import { isPulseError } from "@pulse-ts/core";
import type { RunEnd } from "./child-event.ts";

/** Longer outputs are told by their hash. */
const outputTextMax = 2_000;

/**
 * How a run ended, so that two can be compared; `undefined` for an error that no run ends with.
 * What a node threw is not compared: a resume of a failed run does not know it (DUR-3).
 */
export function runEnd(result: RunResult): RunEnd | undefined {
  if ("outcome" in result) {
    const text = plainText(result.outcome.outputs);
    const outputs = text.length > outputTextMax ? `${text.length} characters, SHA-256 ${sha256Hex(text)}` : text;
    return { kind: "completed", outputs };
  }
  const { error } = result;
  if (!isPulseError(error, "PULSE_RUN_FAILED") && !isPulseError(error, "PULSE_EXECUTION_FAILED")) return undefined;
  const { path } = error.details;
  // In memory the same end has another code.
  return { kind: "failed", code: "PULSE_RUN_FAILED", ...(path === undefined ? {} : { path }) };
}

export type RunResult =
  | { readonly outcome: { readonly outputs: Readonly<Record<string, unknown>> } }
  | { readonly error: unknown };

/** Waits for the end of a run. */
export async function resultOf(running: Promise<{ readonly outputs: object }>): Promise<RunResult> {
  try {
    const { outputs } = await running;
    return { outcome: { outputs: { ...outputs } } };
  } catch (error) {
    return { error };
  }
}

/** Two ends of the same run; a path that only one of them knows makes no difference. */
export function sameEnd(one: RunEnd, other: RunEnd): boolean {
  if (one.kind === "completed") return other.kind === "completed" && one.outputs === other.outputs;
  if (other.kind === "completed" || one.code !== other.code) return false;
  return one.path === undefined || other.path === undefined || one.path === other.path;
}

/** Values of any kind as text: bytes and what JSON has no words for are spelt out, properties are sorted. */
function plainText(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (part instanceof Uint8Array) return { bytes: Buffer.from(part).toString("base64") };
    if (typeof part === "bigint") return { bigint: String(part) };
    if (typeof part === "number" && !Number.isFinite(part)) return { number: String(part) };
    if (part === undefined) return { nothing: true };
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
