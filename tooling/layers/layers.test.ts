import { describe, expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkLayers } from "./check.ts";
import { importsOf } from "./imports.ts";

const clean = {
  "packages/pulse-core/package.json": { name: "@pulse-ts/core", devDependencies: { vitest: "1" } },
  "packages/pulse-core/src/index.ts": `export { graph } from "./graph.ts";`,
  "packages/pulse-core/src/graph.ts": `export const graph = 1;`,
  "packages/codec/package.json": {
    name: "@pulse-ts/codec",
    dependencies: { "@pulse-ts/core": "workspace:^" },
    peerDependencies: { zod: "4" },
  },
  "packages/codec/src/index.ts": `import { z } from "zod";\nimport type { Key } from "@pulse-ts/core";`,
  "packages/filestore/package.json": {
    name: "@pulse-ts/filestore",
    dependencies: { "@pulse-ts/core": "workspace:^" },
    devDependencies: { "@pulse-ts/store-testkit": "workspace:^" },
  },
  "packages/filestore/src/index.ts": `import { readFile } from "node:fs/promises";`,
  "packages/filestore/src/index.test.ts": `import { describeStore } from "@pulse-ts/store-testkit";`,
};

/** The problems that appear when `planted` is added to the clean tree. */
function problemsWith(planted: Readonly<Record<string, string | object>>): readonly string[] {
  using tree = plant({ ...clean, ...planted });
  return checkLayers(tree.root).problems;
}

test("a tree that keeps the layers has no problem and is really read", () => {
  using tree = plant(clean);
  expect(checkLayers(tree.root)).toMatchObject({
    counted: { packages: 3, files: 5, imports: 5, "imports between packages": 2 },
    problems: [],
  });
});

test("an empty tree fails instead of passing", () => {
  using tree = plant({});
  expect(judge(checkLayers(tree.root)).passed).toBe(false);
});

test("this repository's own sources are seen", () => {
  const { counted } = checkLayers(repositoryRoot);
  expect(counted["packages"]).toBeGreaterThanOrEqual(4);
  expect(counted["imports between packages"]).toBeGreaterThan(0);
});

describe("each kind of violation is caught", () => {
  const upward = "may not use @pulse-ts/durable";
  test.each([
    ["an import", `import { durable } from "@pulse-ts/durable";`, upward],
    ["a type import", `import type { Store } from "@pulse-ts/durable";`, upward],
    ["a re-export", `export * from "@pulse-ts/durable";`, upward],
    ["a subpath", `import "@pulse-ts/durable/store";`, upward],
    ["a dynamic import", `const later = () => import("@pulse-ts/durable");`, upward],
    ["an import type", `export type S = import("@pulse-ts/durable").Store;`, upward],
    ["a required module", `const d = require("@pulse-ts/durable");`, upward],
    ["an augmented module", `declare module "@pulse-ts/durable" { interface A { b: 1 } }\nexport {};`, upward],
    ["a private package", `import "@pulse-ts/tooling";`, "is no package that others may use"],
    ["a deep import", `import { check } from "@pulse-ts/core/src/check.ts";`, "reaches into another package"],
    ["a built deep import", `import { check } from "@pulse-ts/core/dist/check.js";`, "reaches into another package"],
    ["a path out of the package", `import { graph } from "../../pulse-core/src/graph.ts";`, "leaves its package"],
    ["its own name", `import { other } from "@pulse-ts/codec";`, "import the file"],
    ["an undeclared npm package", `import pg from "pg";`, "pg is not among the dependencies of @pulse-ts/codec"],
  ])("%s in codec", (_kind, text, reason) => {
    const problems = problemsWith({ "packages/codec/src/planted.ts": `// first line\n${text}` });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("packages/codec/src/planted.ts:2");
    expect(problems[0]).toContain(reason);
  });

  test.each([
    ["node:", `import { readFile } from "node:fs";`],
    ["an npm package", `import { z } from "zod";`],
    ["a type of an npm package", `import type { z } from "zod";`],
  ])("CORE-39 %s in core", (_kind, text) => {
    const problems = problemsWith({ "packages/pulse-core/src/planted.ts": text });
    expect(problems).toEqual([expect.stringContaining("core imports nothing from npm or node:")]);
  });

  test("an upward import in a test", () => {
    const problems = problemsWith({ "packages/codec/src/planted.test.ts": `import "@pulse-ts/durable";` });
    expect(problems).toEqual([expect.stringContaining(upward)]);
  });

  test("one store in another, and the kit in a store's published code", () => {
    const planted = `import "@pulse-ts/sqlite-store";\nimport "@pulse-ts/store-testkit";`;
    expect(problemsWith({ "packages/filestore/src/planted.ts": planted })).toEqual([
      expect.stringContaining("may not use @pulse-ts/sqlite-store"),
      expect.stringContaining("may not use @pulse-ts/store-testkit"),
    ]);
  });

  test.each(["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"])(
    "a package declared upward in %s",
    (field) => {
      const manifest = {
        name: "@pulse-ts/codec",
        peerDependencies: { zod: "4" },
        [field]: { "@pulse-ts/durable": "1" },
      };
      const problems = problemsWith({ "packages/codec/package.json": manifest, "packages/codec/src/index.ts": "" });
      expect(problems).toEqual([expect.stringContaining(`${field}.@pulse-ts/durable: @pulse-ts/codec ${upward}`)]);
    },
  );

  test("CORE-39 any run-time dependency of core", () => {
    const manifest = { name: "@pulse-ts/core", dependencies: { zod: "4" } };
    const problems = problemsWith({ "packages/pulse-core/package.json": manifest });
    expect(problems).toEqual([expect.stringContaining("dependencies.zod: core has no dependency")]);
  });

  test("a package that has no place in the order", () => {
    const problems = problemsWith({
      "packages/extra/package.json": { name: "@pulse-ts/extra", dependencies: { "@pulse-ts/core": "1" } },
    });
    expect(problems).toEqual([expect.stringContaining("@pulse-ts/extra has no place")]);
  });

  test("a ring of imports inside a package, with the way round", () => {
    const problems = problemsWith({
      "packages/codec/src/a.ts": `import { b } from "./b.ts";`,
      "packages/codec/src/b.ts": `export * from "./deep/c.ts";`,
      "packages/codec/src/deep/c.ts": `const a = () => import("../a.ts");`,
    });
    expect(problems).toEqual([
      "packages/codec/src/a.ts: circular imports: " +
        "packages/codec/src/a.ts -> packages/codec/src/b.ts -> packages/codec/src/deep/c.ts -> packages/codec/src/a.ts",
    ]);
  });
});

test("a ring that only types close is noted and no violation", () => {
  using tree = plant({
    ...clean,
    "packages/codec/src/a.ts": `import { b } from "./b.ts";\nexport type A = typeof b;`,
    "packages/codec/src/b.ts": `import type { A } from "./a.ts";`,
  });
  const { problems, notes } = checkLayers(tree.root);
  expect(problems).toEqual([]);
  expect(notes).toEqual([expect.stringContaining("types only: packages/codec/src/a.ts: circular imports")]);
});

test("what is written in comments and strings is no import", () => {
  expect(importsOf("a.ts", `// import "x";\nconst text = 'import "y"';\n/** {@link import("z")} */`)).toEqual([]);
});
