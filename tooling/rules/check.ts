import type { Report } from "../source/report.ts";
import { readFiles } from "../source/workspace.ts";
import { repeatedRules, rulesOf, type RulePage } from "./pages.ts";
import { requiredRules, type RequiredSet } from "./required.ts";
import { requirementsOf, runsTheKit } from "./requirements.ts";
import { titlesOf, type TestTitle } from "./titles.ts";

/** Where tests are looked for. */
const testFolders = ["packages", "examples", "proofs", "bench", "tooling"];

/** Where the kit's requirements are: tests, once a test file hands a store to `describeStore`. */
const kitFolder = "packages/store-testkit/src";

/** Rule id -> the places of the tests that name it. */
export type Coverage = ReadonlyMap<string, readonly string[]>;

/** Which rules of docs/contract no test names. Fails if one of them is in `required`. */
export function checkRules(root: string, required: RequiredSet): Report {
  const pages = readFiles(root, "docs/contract", [".md"])
    .map(rulesOf)
    .filter(({ rules }) => rules.length > 0);
  const { coverage, tests } = readCoverage(root);
  const wanted = requiredRules(required, pages);
  const known = new Set(pages.flatMap(({ rules }) => rules));
  const problems = [
    ...repeatedRules(pages).map((rule) => `docs/contract: ${rule} stands there twice`),
    ...wanted.problems,
    ...wanted.rules.filter((rule) => !coverage.has(rule)).map((rule) => `${rule}: no test names it`),
    ...unknownRules(coverage, known),
  ];
  const covered = wanted.rules.filter((rule) => coverage.has(rule)).length;
  return {
    name: "rules",
    counted: { pages: pages.length, rules: known.size, tests, required: wanted.rules.length },
    problems,
    notes: [...pages.map((page) => pageNote(page, coverage)), `required: ${covered} of ${wanted.rules.length} tested`],
  };
}

/** Every rule id in the title of a test that runs. */
function readCoverage(root: string): { readonly coverage: Coverage; readonly tests: number } {
  const coverage = new Map<string, string[]>();
  let tests = 0;
  let kitRuns = false;
  const take = (path: string, titles: readonly TestTitle[]): void => {
    for (const { title, line } of titles) {
      tests += 1;
      for (const [rule] of title.matchAll(/\b[A-Z]+-\d+\b/g)) {
        const places = coverage.get(rule) ?? [];
        coverage.set(rule, [...places, `${path}:${line}`]);
      }
    }
  };
  for (const folder of testFolders)
    for (const { path, text } of readFiles(root, folder, [".test.ts", ".test-d.ts"])) {
      kitRuns ||= runsTheKit(path, text);
      take(path, titlesOf(path, text));
    }
  if (kitRuns) {
    for (const { path, text } of readFiles(root, kitFolder, [".ts"])) {
      if (!/\.test(-d)?\.ts$/.test(path)) take(path, requirementsOf(path, text));
    }
  }
  return { coverage, tests };
}

/** A title with a mistyped id (`COER-3`, `CORE-99`) would leave its rule silently unproved. */
function unknownRules(coverage: Coverage, known: ReadonlySet<string>): string[] {
  const prefixes = new Set([...known].map((rule) => rule.slice(0, rule.indexOf("-"))));
  return [...coverage]
    .filter(([rule]) => !known.has(rule) && prefixes.has(rule.slice(0, rule.indexOf("-"))))
    .map(([rule, places]) => `${places[0]}: names ${rule}, which is not in the contract`);
}

function pageNote(page: RulePage, coverage: Coverage): string {
  const missing = page.rules.filter((rule) => !coverage.has(rule));
  const tested = page.rules.length - missing.length;
  const rest = missing.length === 0 ? "" : `; no test names ${missing.join(" ")}`;
  return `${page.name}: ${tested} of ${page.rules.length} tested${rest}`;
}
