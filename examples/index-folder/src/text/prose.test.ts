import { expect, test } from "vitest";
import { countTerms } from "./count-terms.ts";
import { countOutsideProse, proseOf } from "./prose.ts";

const wordsOf = (text: string, markdown = true): string[] => proseOf(text, { markdown }).match(/[\p{L}\p{N}]+/gu) ?? [];

test("code, comments and where links lead are no prose", () => {
  const text =
    'Before `code span` and ``a ` tick``.\n```ts\nconst inside = 1;\n```\nBetween <!-- hidden\nnote --> lines.\n\n[label](to/page.md "Title")\n\n[ref]: target.md\n~~~\nto the end\n';
  expect(wordsOf(text)).toEqual(["Before", "and", "Between", "lines", "label"]);
});

test("rule numbers, names of programs, paths and addresses are no prose, in any kind of text", () => {
  const text =
    "Rules ABC-12, D-1-2 and drain_timeout, ackedThrough in main.ts or src/a/b.ts at https://example.org/x hold. TypeScript and/or UTF-8 text, e.g. rock-n-roll";
  expect(wordsOf(text, false).join(" ")).toBe("Rules and in or at hold TypeScript and or text e g rock n roll");
});

test("backticks in a plain text are left alone", () => {
  expect(wordsOf("say `this` aloud", false)).toEqual(["say", "this", "aloud"]);
});

test("an unclosed code span or fence takes no more than it may", () => {
  expect(wordsOf("a ` tick\nand more `code` here")).toEqual(["a", "tick", "and", "more", "here"]);
  expect(wordsOf("first\n```\nnever closed")).toEqual(["first"]);
});

test("terms outside the prose are counted by what the prose does not say", () => {
  const text = "A store keeps runs: `store` and STORE-1.";
  expect(countOutsideProse(countTerms(text), proseOf(text, { markdown: true }))).toEqual([
    ["1", 1],
    ["store", 2],
  ]);
});
