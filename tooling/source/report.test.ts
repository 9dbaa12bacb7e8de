import { expect, test } from "vitest";
import { judge } from "./report.ts";

test("a check that counted nothing fails", () => {
  const { passed, lines } = judge({ name: "layers", counted: { files: 3, edges: 0 }, problems: [] });
  expect(passed).toBe(false);
  expect(lines.join("\n")).toContain("no edges found");
});

test("a check with a problem fails and prints it", () => {
  const { passed, lines } = judge({ name: "layers", counted: { files: 3 }, problems: ["a.ts imports b.ts"] });
  expect(passed).toBe(false);
  expect(lines).toEqual(["  a.ts imports b.ts", "layers: 3 files; 1 problem(s)"]);
});

test("a check that found nothing wrong prints what it counted and passes", () => {
  expect(judge({ name: "layers", counted: { files: 3, edges: 4 }, problems: [] })).toEqual({
    passed: true,
    lines: ["layers: 3 files, 4 edges; no problem"],
  });
});
