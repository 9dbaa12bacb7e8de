import type { RecordProblem } from "./problem.ts";

/** How many differences of one sort an error lists. */
export const differencesMax = 50;

/** What the outline holds in place of a hash for an optional root input that was skipped. */
export const skippedInput = "skipped";

/** The name of a root input in the outline; no part of a definition begins so. */
export function inputPart(name: string): string {
  return `${inputPrefix}${name}`;
}
const inputPrefix = "input ";

/**
 * Names the parts of a definition that were added, removed or changed, one line each (DUR-4): from what the run's header
 * kept of its definition, and that of the definition at hand.
 */
export function definitionDifferences(
  recorded: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): readonly string[] {
  const lines: string[] = [];
  for (const [part, hash] of Object.entries(recorded)) {
    if (part.startsWith(inputPrefix)) continue;
    if (!Object.hasOwn(given, part)) lines.push(`removed: ${part}`);
    else if (given[part] !== hash) lines.push(`changed: ${part}`);
  }
  for (const part of Object.keys(given)) {
    if (!Object.hasOwn(recorded, part)) lines.push(`added: ${part}`);
  }
  return shortened(lines);
}

/** Names the keys whose recorded values have another codec than the definition, one line each, however many values. */
export function codecDifferences(problems: readonly RecordProblem[]): readonly string[] {
  const lines = new Set<string>();
  for (const { kind, key = "", expected = "", found = "" } of problems) {
    if (kind !== "codec") continue;
    lines.add(`codec of key ${JSON.stringify(key)}: recorded ${shortHashes(expected)}, now ${shortHashes(found)}`);
  }
  return shortened([...lines]);
}

/** The ids of automatic codecs hold hashes, of which a few digits are enough for a reader. */
function shortHashes(codec: string): string {
  return codec.replaceAll(/[0-9a-f]{16,}/g, (hash) => `${hash.slice(0, 8)}…`);
}

/**
 * Names the root inputs that differ, one line each (DUR-4). None when the run was recorded before the outline held its
 * inputs.
 */
export function inputDifferences(
  recorded: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): readonly string[] {
  const lines: string[] = [];
  for (const [part, now] of Object.entries(given)) {
    if (!Object.hasOwn(recorded, part) || recorded[part] === now) continue;
    const what = now === skippedInput ? "now skipped" : recorded[part] === skippedInput ? "was skipped" : "changed";
    lines.push(`${what}: input ${JSON.stringify(part.slice(inputPrefix.length))}`);
  }
  return shortened(lines);
}

/** Names the root inputs that were given both times, and differ. */
export function changedInputs(
  recorded: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(given).flatMap(([part, now]) => {
    const before = Object.hasOwn(recorded, part) ? recorded[part] : now;
    return before === now || before === skippedInput || now === skippedInput ? [] : [part.slice(inputPrefix.length)];
  });
}

/** The first lines, and how many more there are. */
export function shortened(lines: readonly string[]): readonly string[] {
  const more = lines.length - differencesMax;
  return more <= 0 ? lines : [...lines.slice(0, differencesMax), `and ${more} more`];
}
