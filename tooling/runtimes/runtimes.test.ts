import { expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { expected, findChromium, runInChromium, runWith, smokeBundle } from "./run.ts";

const chromium = findChromium(process.env);
/** On a machine without Chromium the test is reported as not run; under CI that is a failure. */
const wanted = chromium !== undefined || process.env["CI"] === "true";

test.each(["bun", "deno"] as const)("CORE-39 a graph with mount, retry and timeout runs in %s", async (runtime) => {
  using tree = plant({});
  expect(await runWith(runtime, await smokeBundle(), tree.root)).toBe(expected);
});

test.runIf(wanted)("CORE-39 a graph with mount, retry and timeout runs in Chromium", async () => {
  expect(chromium, "no chromium on the PATH; install it, or name it in CHROMIUM").toBeDefined();
  expect(await runInChromium(chromium ?? "", await smokeBundle())).toBe(expected);
});

test.runIf(wanted)("an error inside the page fails the smoke test instead of hanging it", async () => {
  await expect(runInChromium(chromium ?? "", `throw new Error("planted");`)).rejects.toThrow("planted");
});

test("Chromium is looked for on the PATH and by name, and not found where there is none", () => {
  using tree = plant({ "bin/chromium": "", "own/browser": "" });
  expect(findChromium({ PATH: `${tree.root}/none:${tree.root}/bin` })).toBe(`${tree.root}/bin/chromium`);
  expect(findChromium({ PATH: "", CHROMIUM: `${tree.root}/own/browser` })).toBe(`${tree.root}/own/browser`);
  expect(findChromium({ PATH: `${tree.root}/bin`, CHROMIUM: `${tree.root}/gone` })).toBeUndefined();
  expect(findChromium({})).toBeUndefined();
});
