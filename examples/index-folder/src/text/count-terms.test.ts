import { expect, test } from "vitest";
import { countLines, countTerms } from "./count-terms.ts";

test("terms are counted and sorted by code units, and link targets are left out", () => {
  expect(countTerms("b a B [a link](https://example.org/x) ä __proto__")).toEqual([
    ["a", 2],
    ["b", 2],
    ["link", 1],
    ["proto", 1],
    ["ä", 1],
  ]);
});

test("lines are those of an editor, whichever break ends them", () => {
  expect(["", "a", "a\n", "a\nb", "a\r\nb\r\n", "a\rb", "\n\n"].map(countLines)).toEqual([0, 1, 1, 2, 2, 2, 2]);
});
