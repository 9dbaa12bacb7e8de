import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { removeStale } from "./stale.mjs";

test("what an earlier source gave is removed, what the present ones give stays", () => {
  using planted = plant({
    "src/a/kept.ts": "",
    "dist/.tsbuildinfo": "{}",
    "dist/a/kept.js": "",
    "dist/a/kept.js.map": "",
    "dist/a/kept.d.ts": "",
    "dist/a/kept.d.ts.map": "",
    "dist/a/gone.js": "",
    "dist/a/gone.d.ts.map": "",
    "dist/tried.mjs": "",
    "dist/tried.d.mts": "",
  });
  expect(removeStale(planted.root).toSorted()).toEqual(
    ["a/gone.d.ts.map", "a/gone.js", "tried.d.mts", "tried.mjs"].map((path) => join("dist", path)),
  );
  for (const path of [".tsbuildinfo", "a/kept.js", "a/kept.js.map", "a/kept.d.ts", "a/kept.d.ts.map"])
    expect(existsSync(join(planted.root, "dist", path)), path).toBe(true);
  expect(existsSync(join(planted.root, "dist/a/gone.js"))).toBe(false);
});

test("a package that was not built yet has nothing to remove", () => {
  using planted = plant({ "src/a.ts": "" });
  expect(removeStale(planted.root)).toEqual([]);
});
