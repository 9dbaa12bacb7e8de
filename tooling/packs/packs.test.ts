import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkPacks, type Run } from "./check.ts";

const manifest = {
  name: "@pulse-ts/p",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  files: ["dist"],
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
};

const tree = {
  "packages/p/package.json": manifest,
  "packages/p/dist/index.js": "export const a = 1;\n",
  "packages/p/dist/index.d.ts": "export declare const a: number;\n",
  "packages/hidden/package.json": { name: "hidden", private: true },
};

/** A tree in which the real programs of this repository are found. */
function plantWithPrograms(files: Readonly<Record<string, string | object>>) {
  const planted = plant(files);
  symlinkSync(join(repositoryRoot, "node_modules"), join(planted.root, "node_modules"));
  return planted;
}

test("a package whose tarball is in order passes", () => {
  using planted = plantWithPrograms(tree);
  expect(checkPacks(planted.root)).toEqual({ name: "packs", counted: { packages: 1, tarballs: 1 }, problems: [] });
});

test("an export that is not in the tarball, and types that are missing, are caught by the real programs", () => {
  using planted = plantWithPrograms({
    ...tree,
    "packages/p/package.json": { ...manifest, exports: { ".": "./dist/index.js", "./gone": "./dist/gone.js" } },
    "packages/p/dist/index.d.ts": "",
  });
  const problems = checkPacks(planted.root).problems.join("\n");
  expect(problems).toContain("@pulse-ts/p: publint found problems");
  expect(problems).toContain("gone.js");
  expect(problems).toContain("@pulse-ts/p: attw found problems");
});

test("a package that was not built, one that cannot be packed, and a tree without packages fail", () => {
  using unbuilt = plant({ "packages/p/package.json": manifest });
  expect(checkPacks(unbuilt.root).problems).toEqual(["packages/p: has no dist; build it first"]);

  using planted = plant(tree);
  const failing: Run = () => ({ code: 1, text: "planted" });
  expect(checkPacks(planted.root, failing).problems).toEqual(["packages/p: pnpm pack failed:\nplanted"]);

  using empty = plant({});
  expect(judge(checkPacks(empty.root)).passed).toBe(false);
});

test("a judge that finds something is a problem with its words", () => {
  using planted = plant(tree);
  const run: Run = (command, args) => {
    if (command === "pnpm") writeFileSync(join(args.at(-1) ?? "", "p.tgz"), "");
    return { code: command === "attw" ? 1 : 0, text: "planted" };
  };
  expect(checkPacks(planted.root, run).problems).toEqual(["@pulse-ts/p: attw found problems:\nplanted"]);
});
