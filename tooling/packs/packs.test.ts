import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import type { Run } from "../source/run-program.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkPacks } from "./check.ts";
import { checkContents } from "./contents.ts";
import { checkMetadata } from "./metadata.ts";

const manifest = {
  name: "@pulse-ts/p",
  version: "1.0.0",
  description: "planted",
  license: "MIT",
  type: "module",
  sideEffects: false,
  files: ["dist", "src"],
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  publishConfig: { access: "public" },
  engines: { node: ">=20.19" },
};

const tree = {
  "package.json": { license: "MIT", engines: { node: ">=20.19" } },
  LICENSE: "planted licence\n",
  "packages/p/package.json": manifest,
  "packages/p/LICENSE": "planted licence\n",
  "packages/p/README.md": "# p\n",
  "packages/p/src/index.ts": "export const a = 1;\n",
  "packages/p/dist/index.js": "export const a = 1;\n",
  "packages/p/dist/index.js.map": { version: 3, sources: ["../src/index.ts"], mappings: "" },
  "packages/p/dist/index.d.ts": "export declare const a: number;\n",
  "packages/hidden/package.json": { name: "hidden", private: true },
};

/** A tree in which the real programs of this repository are found. */
function plantWithPrograms(files: Readonly<Record<string, string | object>>) {
  const planted = plant(files);
  symlinkSync(join(repositoryRoot, "node_modules"), join(planted.root, "node_modules"));
  return planted;
}

test("a package whose tarball is in order passes, and its sizes are told", async () => {
  using planted = plantWithPrograms(tree);
  const report = await checkPacks(planted.root);
  expect(report).toMatchObject({ name: "packs", counted: { packages: 1, tarballs: 1, files: 7 }, problems: [] });
  expect(report.notes).toEqual([
    expect.stringMatching(/^@pulse-ts\/p: 7 files, [\d.]+ kB packed, [\d.]+ kB unpacked$/),
  ]);
});

test("an export that is not in the tarball, and types that are missing, are caught by the real programs", async () => {
  using planted = plantWithPrograms({
    ...tree,
    "packages/p/package.json": { ...manifest, exports: { ".": "./dist/index.js", "./gone": "./dist/gone.js" } },
    "packages/p/dist/index.d.ts": "",
  });
  const problems = (await checkPacks(planted.root)).problems.join("\n");
  expect(problems).toContain("@pulse-ts/p: publint found problems");
  expect(problems).toContain("gone.js");
  expect(problems).toContain("@pulse-ts/p: attw found problems");
});

test("a package that was not built, one that cannot be packed, and a tree without packages fail", async () => {
  using unbuilt = plant({ "packages/p/package.json": manifest });
  expect((await checkPacks(unbuilt.root)).problems).toEqual(["packages/p: has no dist; build it first"]);

  using planted = plant(tree);
  const failing: Run = async () => ({ code: 1, text: "planted" });
  expect((await checkPacks(planted.root, failing)).problems).toEqual(["packages/p: pnpm pack failed:\nplanted"]);

  using empty = plant({});
  expect(judge(await checkPacks(empty.root)).passed).toBe(false);
});

test("a judge that finds something, and a tarball that cannot be read, are problems with their words", async () => {
  using planted = plant(tree);
  const run: Run = async (command, args) => {
    if (command === "pnpm") writeFileSync(join(args.at(-1) ?? "", "p.tgz"), "");
    return { code: ["attw", "tar"].includes(command) ? 1 : 0, text: `planted in ${command}` };
  };
  expect((await checkPacks(planted.root, run)).problems).toEqual([
    "@pulse-ts/p: attw found problems:\nplanted in attw",
    "@pulse-ts/p: tar cannot read the tarball:\nplanted in tar",
  ]);
});

const inOrder: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(manifest),
  "README.md": "",
  LICENSE: "planted licence\n",
  "src/index.ts": "",
  "src/testing.ts": "",
  "dist/index.js": "",
  "dist/index.d.ts": "",
  "dist/testing.js": "",
  "dist/index.js.map": JSON.stringify({ sources: ["../src/index.ts"] }),
};

const filesOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));

test("the files of a tarball that is in order are no problem, an entry for tests of users among them", () => {
  expect(checkContents("p", filesOf(inOrder))).toEqual([]);
});

test.each([
  ["src/a.test.ts", "", "for tests only"],
  ["src/testing/child.ts", "", "for tests only"],
  ["src/fixtures/one.ts", "", "for tests only"],
  ["fixtures/one.json", "{}", "does not belong"],
  ["dist/.tsbuildinfo", "", "does not belong"],
  ["dist/tried.mjs", "", "does not belong"],
  ["tsconfig.json", "", "does not belong"],
  ["dist/old.js", "", "dist/old.js has no src/old.ts: it is left over from an earlier build"],
  ["dist/testing.js.map", `{"sources":["../src/gone.ts"]}`, "leads to src/gone.ts, which is not in the tarball"],
  ["dist/testing.js.map", "{}", "names no source"],
])("%s with %j in a tarball is caught", (path, text, problem) => {
  expect(checkContents("p", filesOf({ ...inOrder, [path]: text })).join("\n")).toContain(problem);
});

test.each(["README.md", "LICENSE", "package.json"])("a tarball without %s is caught", (path) => {
  const { [path]: _left, ...rest } = inOrder;
  expect(checkContents("p", filesOf(rest))).toContain(`p: the tarball has no ${path}`);
});

describe("what package.json says", () => {
  const problemsOf = (change: object, licence = "planted licence\n") => {
    using planted = plant(tree);
    const packed = { ...inOrder, LICENSE: licence, "package.json": JSON.stringify({ ...manifest, ...change }) };
    return checkMetadata(planted.root, filesOf(packed));
  };

  test.each([
    [{ version: undefined }, "version is not three numbers"],
    [{ description: "" }, "has no description"],
    [{ license: "ISC" }, "license is not the repository's MIT"],
    [{ type: undefined }, `type is not "module"`],
    [{ sideEffects: undefined }, "sideEffects is not false, so that bundlers keep what nobody uses"],
    [{ engines: { node: ">=18" } }, "engines.node is not the repository's >=20.19"],
    [{ publishConfig: undefined }, "publishConfig.access is not public"],
    [{ scripts: { postinstall: "x" } }, "runs a script when it is installed"],
    [{ dependencies: { q: "workspace:^" } }, "depends on q as workspace:^"],
    [{ peerDependencies: { zod: "catalog:" } }, "depends on zod as catalog:"],
  ])("%j is caught", (change, problem) => {
    expect(problemsOf(change)).toEqual([`@pulse-ts/p: ${problem}`]);
  });

  test("is in order, or its licence is another", () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({}, "another")).toEqual(["@pulse-ts/p: LICENSE is not the repository's"]);
  });
});
