import { readdirSync } from "node:fs";
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
  const left = readdirSync(join(planted.root, "dist"), { recursive: true, encoding: "utf8" });
  expect(left.toSorted()).toEqual(
    [".tsbuildinfo", "a", "a/kept.d.ts", "a/kept.d.ts.map", "a/kept.js", "a/kept.js.map"].map((path) => join(path)),
  );
});

test("a package that was not built yet has nothing to remove", () => {
  using planted = plant({ "src/a.ts": "" });
  expect(removeStale(planted.root)).toEqual([]);
});
