import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkErrorPages, headings } from "./check.ts";

function page(code: string): string {
  return [`# ${code}`, ...headings, ""].join("\n\n");
}

const tree = {
  "docs/contract/00-overview.md": "| A | `PULSE_A` (one) |\n| B | `PULSE_B` |\n",
  "packages/pulse-core/package.json": { name: "@pulse-ts/core" },
  "packages/pulse-core/src/errors.ts": `
    export type ProblemCode = | "PULSE_P" | "PULSE_Q";
    export interface PulseErrorDetails { PULSE_A: {} }`,
  "packages/durable/package.json": { name: "@pulse-ts/durable" },
  "packages/durable/src/errors.ts": `
    declare module "@pulse-ts/core/errors" { interface PulseErrorDetails { PULSE_B: {} } }`,
  ...Object.fromEntries(["A", "B", "P", "Q"].map((name) => [`docs/errors/PULSE_${name}.md`, page(`PULSE_${name}`)])),
};

function problemsWith(planted: Readonly<Record<string, string>>): readonly string[] {
  using root = plant({ ...tree, ...planted });
  return checkErrorPages(root.root).problems;
}

test("CORE-26 the codes of all packages are the table of the contract and the problem codes, each with its page", () => {
  const report = checkErrorPages(repositoryRoot);
  expect(report.problems).toEqual([]);
  expect(judge(report).passed).toBe(true);
});

test("augmentations count, and a tree in order has no problem", () => {
  using root = plant(tree);
  expect(checkErrorPages(root.root)).toMatchObject({
    counted: { "error codes": 2, "problem codes": 2, "codes in the contract": 2, pages: 4 },
    problems: [],
  });
});

test("a code that the contract does not list, and one that no package declares, are caught", () => {
  const errors = `export type ProblemCode = "PULSE_P" | "PULSE_Q";\nexport interface PulseErrorDetails { PULSE_C: {} }`;
  expect(
    problemsWith({ "packages/pulse-core/src/errors.ts": errors, "docs/errors/PULSE_C.md": page("PULSE_C") }),
  ).toEqual([
    "packages/pulse-core/src/errors.ts:2: PULSE_C is not in the table of docs/contract/00-overview.md",
    "docs/contract/00-overview.md: no package declares PULSE_A",
    "docs/errors/PULSE_A.md: no package declares this code",
  ]);
});

test("a code without a page and a page without a code are caught", () => {
  const overview = `${tree["docs/contract/00-overview.md"]}| C | \`PULSE_C\` |\n`;
  const more = `declare module "@pulse-ts/core/errors" { interface PulseErrorDetails { PULSE_C: {} } }`;
  expect(
    problemsWith({
      "docs/contract/00-overview.md": overview,
      "packages/durable/src/more.ts": more,
      "docs/errors/PULSE_GONE.md": page("PULSE_GONE"),
    }),
  ).toEqual([
    "packages/durable/src/more.ts:1: PULSE_C has no page in docs/errors",
    "docs/errors/PULSE_GONE.md: no package declares this code",
  ]);
});

test("a code that two packages declare is caught", () => {
  const again = `declare module "@pulse-ts/core/errors" { interface PulseErrorDetails { PULSE_A: {} } }`;
  expect(problemsWith({ "packages/durable/src/again.ts": again })).toEqual([
    expect.stringMatching(/PULSE_A is declared a second time/),
  ]);
});

test("a page with another title or without one of its parts is caught", () => {
  expect(problemsWith({ "docs/errors/PULSE_A.md": page("PULSE_X").replace("## What to do", "## Help") })).toEqual([
    'docs/errors/PULSE_A.md: does not begin with "# PULSE_A"',
    'docs/errors/PULSE_A.md: has no "## What to do"',
  ]);
});

test("an empty tree fails instead of passing", () => {
  using root = plant({ "docs/contract/00-overview.md": "" });
  expect(judge(checkErrorPages(root.root)).passed).toBe(false);
});
