import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { checkDependencies } from "./check.ts";

const tree = {
  "package.json": { devDependencies: { vitest: "4" } },
  "packages/p/package.json": { dependencies: { "@pulse-ts/core": "1", zod: "4" } },
  "docs/dependencies.md":
    "| name | licence | reason |\n| --- | --- | --- |\n| `vitest` | MIT | tests |\n| `zod`    | MIT     | schemas |\n",
};

test("dependencies that all have their rows pass", () => {
  using planted = plant(tree);
  expect(checkDependencies(planted.root)).toMatchObject({
    counted: { manifests: 2, dependencies: 2, rows: 2 },
    problems: [],
  });
});

test("a dependency without a row, a row without a dependency and an empty cell are caught", () => {
  using planted = plant({
    ...tree,
    "packages/p/package.json": { dependencies: { pg: "8" }, peerDependencies: { zod: "4" } },
    "docs/dependencies.md": "| `vitest` | MIT | tests |\n| `zod` |  | schemas |\n| `gone` | MIT | nothing |\n",
  });
  expect(checkDependencies(planted.root).problems).toEqual([
    "packages/p/package.json: pg has no row in docs/dependencies.md",
    "docs/dependencies.md: no package.json names gone",
    "docs/dependencies.md: the row of zod lacks its licence or reason",
  ]);
});

test("an empty tree fails instead of passing", () => {
  using planted = plant({ "package.json": {} });
  expect(judge(checkDependencies(planted.root)).passed).toBe(false);
});
