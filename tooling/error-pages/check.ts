import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../source/report.ts";
import { readFiles, readPackages } from "../source/workspace.ts";
import { errorCodes, problemCodes, tableCodes, type DeclaredCode } from "./codes.ts";

/** The headings that each page has, in this order. */
export const headings = ["## What happened", "## Likely causes", "## What to do", "## Details"];

/** Every code of PulseError and of Problem has its page, every page its code, and the codes are those of the contract. */
export function checkErrorPages(root: string): Report {
  const sources = readPackages(root, "packages")
    .flatMap(({ folder }) => readFiles(root, `${folder}/src`, [".ts"]))
    .filter(({ path }) => !/\.test(-d)?\.ts$/.test(path));
  const errors = sources.flatMap(errorCodes);
  const problemsOfGraphs = sources.flatMap(problemCodes);
  const pages = readFiles(root, "docs/errors", [".md"]).filter(({ path }) => !path.endsWith("/README.md"));
  const table = tableCodes(readFileSync(join(root, "docs/contract/00-overview.md"), "utf8"));
  return {
    name: "error-pages",
    counted: {
      "error codes": errors.length,
      "problem codes": problemsOfGraphs.length,
      "codes in the contract": table.length,
      pages: pages.length,
    },
    problems: [
      ...disagreements(errors, table),
      ...twice([...errors, ...problemsOfGraphs]),
      ...pageProblems(
        [...errors, ...problemsOfGraphs],
        new Map(pages.map(({ path, text }) => [path.slice("docs/errors/".length, -".md".length), text])),
      ),
    ],
  };
}

/** The closed set of the overview and the declared codes are the same. */
function disagreements(errors: readonly DeclaredCode[], table: readonly string[]): string[] {
  const known = new Set(errors.map(({ code }) => code));
  return [
    ...errors
      .filter(({ code }) => !table.includes(code))
      .map(({ code, place }) => `${place}: ${code} is not in the table of docs/contract/00-overview.md`),
    ...table
      .filter((code) => !known.has(code))
      .map((code) => `docs/contract/00-overview.md: no package declares ${code}`),
  ];
}

function twice(codes: readonly DeclaredCode[]): string[] {
  return codes
    .filter(({ code }, index) => codes.findIndex((other) => other.code === code) !== index)
    .map(({ code, place }) => `${place}: ${code} is declared a second time`);
}

function pageProblems(codes: readonly DeclaredCode[], pages: ReadonlyMap<string, string>): string[] {
  const known = new Set(codes.map(({ code }) => code));
  return [
    ...codes
      .filter(({ code }) => !pages.has(code))
      .map(({ code, place }) => `${place}: ${code} has no page in docs/errors`),
    ...[...pages].flatMap(([code, text]) =>
      known.has(code) ? shapeProblems(code, text) : [`docs/errors/${code}.md: no package declares this code`],
    ),
  ];
}

function shapeProblems(code: string, text: string): string[] {
  const page = `docs/errors/${code}.md`;
  const wrongTitle = text.startsWith(`# ${code}\n`) ? [] : [`${page}: does not begin with "# ${code}"`];
  const missing = headings
    .filter((heading) => !text.includes(`\n${heading}\n`))
    .map((heading) => `${page}: has no "${heading}"`);
  return [...wrongTitle, ...missing];
}
