import { canonicalJson, sha256Hex } from "@pulse-ts/codec";
import { inputPart, skippedInput } from "../integrity/differences.ts";

/** The fingerprint of plain data: SHA-256 over its canonical JSON. */
export function fingerprintOf(data: unknown): string {
  return sha256Hex(canonicalJson(data));
}

/**
 * The same fingerprint, sooner, for data that is made of lists, texts, whole numbers, truth values and null alone: without
 * objects `JSON.stringify` writes what canonical JSON is. A text with an unpaired surrogate is refused as there.
 */
export function fingerprintOfLists(data: unknown): string {
  const text = JSON.stringify(data);
  // Only an unpaired surrogate is written as such an escape, or a text that holds one of its own.
  return text.includes("\\ud") ? fingerprintOf(data) : sha256Hex(text);
}

/** Hex digits of a part's hash in the outline: enough to tell two apart, no proof of anything. */
export const outlineDigits = 16;

/** A root input as the host gave it: with its value's fingerprint, or skipped. */
export type GivenInput =
  | { readonly name: string; readonly state: "skipped" }
  | { readonly name: string; readonly state: "ready"; readonly fingerprint: string };

/** Over name, state and fingerprint of each root input, whatever their order; skipped is told from every value (DUR-6, CORE-41). */
export function inputsFingerprint(inputs: Iterable<GivenInput>): string {
  const lines = [...inputs].map((input) =>
    input.state === "ready" ? [input.name, "ready", input.fingerprint] : [input.name, "skipped"],
  );
  return fingerprintOf(["inputs", lines.toSorted(byName)]);
}

/**
 * What the header's outline keeps of the root inputs (DUR-4): a short hash of each one's fingerprint, which need not be hex
 * itself (CODEC-1), or that it was skipped.
 */
export function inputsOutline(inputs: Iterable<GivenInput>): Readonly<Record<string, string>> {
  const outline: Record<string, string> = {};
  for (const input of inputs) {
    outline[inputPart(input.name)] =
      input.state === "ready" ? sha256Hex(input.fingerprint).slice(0, outlineDigits) : skippedInput;
  }
  return outline;
}

/** A mount's wiring, as far as it is known before anything runs (REC-3, CKPT-23). */
export interface MountWiring {
  readonly graph: string;
  readonly path: string;
  readonly in: readonly { readonly input: string; readonly from: string }[];
  readonly fix: readonly { readonly input: string; readonly codec: string; readonly fingerprint: string }[];
}

/** Of a child scope: its graph, its path, the stable sources of `in` and the fixed values (REC-3). */
export function scopeFingerprint({ graph, path, in: bindings, fix }: MountWiring): string {
  const bound = bindings.map(({ input, from }) => [input, "in", from]);
  const fixed = fix.map(({ input, codec, fingerprint }) => [input, "fix", codec, fingerprint]);
  return fingerprintOf(["scope", graph, path, [...bound, ...fixed].toSorted(byName)]);
}

const byName = ([one = ""]: readonly string[], [other = ""]: readonly string[]): number =>
  one < other ? -1 : one > other ? 1 : 0;
