import type { RulePage } from "./pages.ts";

/** A set of rules that must have tests, as `required.json` writes it. */
export interface RequiredSet {
  readonly about: string;
  /** Whole pages, less the rules named, each with the reason why it is left out: `{ "REC-10": "stream" }`. */
  readonly pages: Readonly<Record<string, { readonly except: Readonly<Record<string, string>> }>>;
  /** Single rules and ranges: `STORE-9`, `DUR-1..10`. */
  readonly rules: readonly string[];
}

/** The ids of a set, and what in it names nothing on the pages. */
export interface RequiredRules {
  readonly rules: readonly string[];
  readonly problems: readonly string[];
}

/** Spells a set out against the pages. A name that the contract does not have is a problem, not an empty requirement. */
export function requiredRules(set: RequiredSet, pages: readonly RulePage[]): RequiredRules {
  const known = new Set(pages.flatMap(({ rules }) => rules));
  const problems: string[] = [];
  const whole = Object.entries(set.pages).flatMap(([name, { except }]) => {
    const page = pages.find((candidate) => candidate.name === name);
    if (page === undefined) problems.push(`required.json names the page ${name}, which is not in the contract`);
    return (page?.rules ?? []).filter((rule) => !Object.hasOwn(except, rule));
  });
  const named = [
    ...set.rules.flatMap(spellOut),
    ...Object.values(set.pages).flatMap(({ except }) => Object.keys(except)),
  ];
  for (const rule of named)
    if (!known.has(rule)) problems.push(`required.json names ${rule}, which is not in the contract`);
  const rules = [...new Set([...whole, ...set.rules.flatMap(spellOut)])].filter((rule) => known.has(rule));
  return { rules, problems };
}

/** `DUR-8..10` -> DUR-8, DUR-9, DUR-10. */
export function spellOut(range: string): string[] {
  const match = /^([A-Z]+)-(\d+)(?:\.\.(\d+))?$/.exec(range);
  if (match === null) throw new Error(`reading required rules: "${range}" is neither an id nor a range like DUR-1..10`);
  const [, prefix, first, last] = match;
  const from = Number(first);
  const length = Number(last ?? first) - from + 1;
  return Array.from({ length }, (_, index) => `${prefix}-${from + index}`);
}
