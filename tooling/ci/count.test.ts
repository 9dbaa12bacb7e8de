import { expect, test } from "vitest";
import { count } from "./count.mjs";

function report(...files: readonly { readonly status: string; readonly tests: readonly string[] }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, tests }, file) => ({
      name: `${file}.test.ts`,
      status,
      assertionResults: tests.map((result, index) => ({ status: result, fullName: `${file} ${index}` })),
    })),
  });
}

test("tests are counted by their result, and those that did not run are named", () => {
  const text = report(
    { status: "passed", tests: ["passed", "passed", "skipped"] },
    { status: "failed", tests: ["failed", "todo"] },
  );
  expect(count(text)).toEqual({ passed: 2, failed: 1, notRun: ["0 2", "1 1"] });
});

test("what a store leaves out by its own word is not a test that did not run", () => {
  const [assertion, notRun] = ["KIT-3.many-runs (left out: its runs end with its process)", "KIT-3.many-runs"].map(
    (fullName) => ({ status: "skipped", fullName }),
  );
  const passed = { status: "passed", fullName: "another" };
  const text = JSON.stringify({
    testResults: [{ name: "a.test.ts", status: "passed", assertionResults: [assertion, notRun, passed] }],
  });
  expect(count(text)).toEqual({ passed: 1, failed: 0, notRun: ["KIT-3.many-runs"] });
});

test("a file that could not be loaded is a failure", () => {
  expect(count(report({ status: "passed", tests: ["passed"] }, { status: "failed", tests: [] }))).toMatchObject({
    passed: 1,
    failed: 1,
  });
});

test("a report that is missing, torn or empty is a failure", () => {
  for (const text of ["", '{"testResults": [', "{}", report()])
    expect(count(text)).toEqual({ passed: 0, failed: 1, notRun: [] });
});
