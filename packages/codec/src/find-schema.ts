/**
 * True when a schema contains one that is wanted, or is one, as far as can be seen: its parts are looked for in its own
 * enumerable properties, and in zod's definitions. Schemas of any vendor; of one that hides its parts in closures nothing is
 * seen. Visits no more than {@link visitsMax} objects.
 */
export function containsSchema(schema: unknown, wanted: (candidate: object) => boolean): boolean {
  const seen = new Set<object>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0 && seen.size < visitsMax) {
    const next = waiting.pop();
    if ((typeof next !== "object" && typeof next !== "function") || next === null || seen.has(next)) continue;
    seen.add(next);
    if (wanted(next)) return true;
    waiting.push(...partsOf(next));
  }
  return false;
}

/** Enough for any schema that was written by hand. */
export const visitsMax = 100_000;

interface ZodInternals {
  readonly def?: Readonly<Record<string, unknown>>;
  readonly innerType?: unknown;
}

function partsOf(candidate: object): readonly unknown[] {
  try {
    const zod = (candidate as { readonly _zod?: ZodInternals })._zod;
    if (zod === undefined) return Object.values(candidate);
    // A lazy schema's inner one is made when it is asked for.
    return zod.def?.["type"] === "lazy" ? [zod.innerType] : Object.values(zod.def ?? {});
  } catch {
    // A getter that throws shows nothing.
    return [];
  }
}
