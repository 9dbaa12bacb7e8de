import { expect, test } from "vitest";
import { nearMiss } from "./near-miss.ts";

const known = ["summary", "userName", "score", "a", "page"];
const suggest = nearMiss(() => known);

test.each([
  ["sumary", "summary"],
  ["summmary", "summary"],
  ["summarx", "summary"],
  ["smumary", "summary"],
  ["Summary", "summary"],
  ["user_name", "userName"],
  ["user-name", "userName"],
  ["scores", "score"],
  ["pages", "page"],
])("CORE-26 %s was probably meant to be %s", (missed, meant) => {
  expect(suggest(missed)).toBe(meant);
});

test.each(["b", "", "price", "summ", "x".repeat(1000)])("CORE-26 %s is near to none", (missed) => {
  expect(suggest(missed)).toBeUndefined();
});

test("CORE-26 another separator is nearer than another letter, in whatever order the names stand", () => {
  for (const names of [
    ["step-1", "step-10"],
    ["step-10", "step-1"],
  ])
    expect(nearMiss(() => names)("step1")).toBe("step-1");
});

test("CORE-26 names are looked at once, and only when one is missed", () => {
  let asked = 0;
  const counting = nearMiss(() => (asked++, known));
  expect(asked).toBe(0);
  counting("sumary");
  counting("scor");
  expect(asked).toBe(1);
});
