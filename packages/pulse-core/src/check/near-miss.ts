/** Beyond it a name has too many variants to look at. */
const lengthMax = 64;

/** A name in lower case without separators, and each text that is that with one letter less. */
function variants(name: string): string[] {
  const folded = name.toLowerCase().replace(/[-_. ]/g, "");
  if (folded.length < 3 || folded.length > lengthMax) return [folded];
  return [folded, ...Array.from(folded, (_letter, at) => folded.slice(0, at) + folded.slice(at + 1))];
}

/**
 * Finds the known name that was probably meant: same but for case and separators, or one letter more, less, other or
 * swapped. The names are looked at once, when a first name is missed: the cost stays linear, however many are missed.
 */
export function nearMiss(known: () => readonly string[]): (missed: string) => string | undefined {
  let index: Map<string, string> | undefined;
  return (missed) => {
    index ??= indexOf(known());
    for (const variant of variants(missed)) {
      const meant = index.get(variant);
      if (meant !== undefined && meant !== missed) return meant;
    }
    return undefined;
  };
}

function indexOf(names: readonly string[]): Map<string, string> {
  const variantsOf = names.map((name) => [name, variants(name)] as const);
  const index = new Map(variantsOf.flatMap(([name, texts]) => texts.map((text) => [text, name])));
  // A name that differs by case or separators only is nearer than one of another letter.
  for (const [name, [folded]] of variantsOf) index.set(folded as string, name);
  return index;
}
