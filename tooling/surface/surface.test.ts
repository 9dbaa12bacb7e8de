import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { checkSurface } from "./check.ts";

const tree = {
  "packages/p/package.json": {
    name: "@pulse-ts/p",
    exports: {
      ".": { "@pulse-ts/source": "./src/index.ts" },
      "./more": { "@pulse-ts/source": "./src/more.ts" },
      "./package.json": "./package.json",
    },
  },
  "packages/p/src/index.ts": `
    export { run, limit, Failure } from "./more.ts";
    export type { Options, Mode, Failure as Shape } from "./more.ts";`,
  "packages/p/src/more.ts": `
    export function run() {}
    export const limit = 1;
    export class Failure extends Error {}
    export interface Options { readonly a: string }
    export type Mode = "a" | "b";
    export const key = 1;
    export type key = "k";`,
};

const surface = `@pulse-ts/p
  class Failure
  type Mode
  interface Options
  type Shape
  const limit
  function run

@pulse-ts/p/more
  class Failure
  type Mode
  interface Options
  const+type key
  const limit
  function run
`;

test("names and kinds are written by subpath, and what was written passes", () => {
  using planted = plant(tree);
  expect(checkSurface(planted.root, true).problems).toEqual([]);
  expect(readFileSync(join(planted.root, "packages/p/surface.txt"), "utf8")).toBe(surface);
  expect(checkSurface(planted.root, false)).toMatchObject({
    counted: { packages: 1, entries: 2, names: 12 },
    problems: [],
  });
});

test("a name that came, one that went and one that became another kind are caught", () => {
  using planted = plant({ ...tree, "packages/p/surface.txt": surface });
  const index = join(planted.root, "packages/p/src/index.ts");
  writeFileSync(
    index,
    `export { run, key } from "./more.ts";\nexport type { Options, Failure, Mode } from "./more.ts";`,
  );
  expect(checkSurface(planted.root, false).problems).toEqual([
    "packages/p/surface.txt: no longer exported: @pulse-ts/p: class Failure",
    "packages/p/surface.txt: no longer exported: @pulse-ts/p: type Shape",
    "packages/p/surface.txt: no longer exported: @pulse-ts/p: const limit",
    "packages/p/surface.txt: not written down: @pulse-ts/p: type Failure",
    "packages/p/surface.txt: not written down: @pulse-ts/p: const+type key",
    'packages/p/surface.txt: if this change is meant, run "pnpm surface --write"',
  ]);
});

test("a package whose surface was never written is caught", () => {
  using planted = plant(tree);
  expect(checkSurface(planted.root, false).problems).toHaveLength(13);
});

test("an export without its source condition is an error, not an empty surface", () => {
  using planted = plant({ "packages/p/package.json": { name: "@pulse-ts/p", exports: { ".": "./dist/index.js" } } });
  expect(() => checkSurface(planted.root, false)).toThrow('the export "." has no "@pulse-ts/source" condition');
});

test("an empty tree fails instead of passing", () => {
  using planted = plant({});
  expect(judge(checkSurface(planted.root, false)).passed).toBe(false);
});
