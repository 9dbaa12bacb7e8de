import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { bundle, sizeOf } from "./bundle.ts";
import { coreBytesMax, measureCore, sizeReport } from "./check.ts";

test("CORE-39 graph, run, retry and timeout weigh no more than the ceiling, which only goes down", async () => {
  const size = await measureCore();
  console.log(`@pulse-ts/core: ${size.minified} bytes minified, ${size.gzip} gzip, ${size.brotli} brotli`);
  expect(size.gzip).toBeGreaterThan(500);
  expect(size.gzip).toBeLessThanOrEqual(coreBytesMax);
});

test("a bundle over the limit is caught with the figure", () => {
  const report = sizeReport({ minified: 30_000, gzip: 8_193, brotli: 8_000 }, 8_192);
  expect(report.problems).toEqual(["@pulse-ts/core: 8193 bytes gzipped are 1 over the limit of 8192"]);
  expect(judge(sizeReport({ minified: 9, gzip: 8_192, brotli: 9 }, 8_192)).passed).toBe(true);
});

test("what is imported is inside the bundle, and counts", async () => {
  using tree = plant({ "heavy.ts": `export const heavy = "${"abcdefghij".repeat(100)}";` });
  const light = sizeOf(await bundle("export const light = 1;", tree.root));
  const heavy = sizeOf(await bundle(`export { heavy } from "./heavy.ts";`, tree.root));
  expect(heavy.minified).toBeGreaterThan(light.minified + 1_000);
  expect(heavy.gzip).toBeGreaterThan(light.gzip);
});

test("a name that is not exported is an error, not a small bundle", async () => {
  await expect(bundle(`export { gone } from "@pulse-ts/core";`, import.meta.dirname)).rejects.toThrow("gone");
});

test("CORE-39 a bundle that needs node: is refused", async () => {
  using tree = plant({});
  await expect(bundle(`import "node:fs";`, tree.root)).rejects.toThrow("node:fs");
});
