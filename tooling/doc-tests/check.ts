import type { Report } from "../source/report.ts";
import { readDocumentation } from "./blocks.ts";

/** Counts the blocks by what is done with them. `documentation.test.ts` type-checks and runs them. */
export function countBlocks(root: string): Report {
  const { files, blocks, problems } = readDocumentation(root);
  const count = (use: string): number => blocks.filter((block) => block.use === use).length;
  return {
    name: "doc-tests",
    counted: { files, "ts blocks": blocks.length, "run as tests": count("run") },
    problems,
    notes: [`not run: ${count("check")} type-checked only, ${count("fragment")} fragments`],
  };
}
