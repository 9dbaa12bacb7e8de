import type { SourceFile } from "../source/workspace.ts";

/** The ids of the rules of one page of the contract, in their order on the page. */
export interface RulePage {
  /** `10-core.md` */
  readonly name: string;
  readonly rules: readonly string[];
}

/** A rule is a list item that begins with its id: `- CORE-12 Node states: …`. */
export function rulesOf(page: SourceFile): RulePage {
  const rules = [...page.text.matchAll(/^- ([A-Z]+-\d+)\b/gm)].map(([, id]) => id ?? "");
  return { name: page.path.slice(page.path.lastIndexOf("/") + 1), rules };
}

/** Ids that stand on more than one line of the contract; each would hide that one of the two is untested. */
export function repeatedRules(pages: readonly RulePage[]): string[] {
  const all = pages.flatMap(({ rules }) => rules);
  return [...new Set(all.filter((rule, index) => all.indexOf(rule) !== index))];
}
