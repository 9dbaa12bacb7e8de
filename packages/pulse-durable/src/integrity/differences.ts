/** How many differences an error lists. */
export const differencesMax = 50;

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
    if (!Object.hasOwn(given, part)) lines.push(`removed: ${part}`);
    else if (given[part] !== hash) lines.push(`changed: ${part}`);
  }
  for (const part of Object.keys(given)) {
    if (!Object.hasOwn(recorded, part)) lines.push(`added: ${part}`);
  }
  return shortened(lines);
}

/** The first lines, and how many more there are. */
export function shortened(lines: readonly string[]): readonly string[] {
  const more = lines.length - differencesMax;
  return more <= 0 ? lines : [...lines.slice(0, differencesMax), `and ${more} more`];
}
