/**
 * The known name that was probably meant by one that is not known: the same but for case and separators, or one letter more,
 * less, other or swapped.
 */
export function nearName(missed: string, known: readonly string[]): string | undefined {
  // Beyond it a name has too many variants to look at.
  if (missed.length > lengthMax) return undefined;
  const texts = new Set(variantsOf(missed));
  const near = known.filter((name) => variantsOf(name).some((text) => texts.has(text)));
  return near.find((name) => folded(name) === folded(missed)) ?? near[0];
}

const lengthMax = 64;

/** A name without case and separators, and each text that is that with one letter less. */
function variantsOf(name: string): readonly string[] {
  const text = folded(name);
  if (text.length < 3) return [text];
  return [text, ...Array.from(text, (_letter, at) => text.slice(0, at) + text.slice(at + 1))];
}

const folded = (name: string): string => name.toLowerCase().replace(/[-_. ]/gu, "");
