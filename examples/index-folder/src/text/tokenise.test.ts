import fc from "fast-check";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { termsOfScript } from "../report/page-script.ts";
import { termLengthMax, tokenise } from "./tokenise.ts";

const termsOf = (text: string): string[] => [...tokenise(text)];
const seed = Number(process.env["PULSE_SEED"] ?? 20_260);

test("words of any script are lower case terms, in their order", () => {
  expect(termsOf("Der KURZE Weg: Straße, ΟΔΌΣ, Дорога 42!")).toEqual([
    "der",
    "kurze",
    "weg",
    "straße",
    "οδός",
    "дорога",
    "42",
  ]);
  expect(termsOf("naïve NAI\u0308VE")).toEqual(["naïve", "naïve"]);
});

test("an apostrophe or underscore joins only between letters", () => {
  expect(termsOf("don't don’t 'quoted' _emphasis_ drain_timeout a--b rock-n-roll")).toEqual([
    "don't",
    "don't",
    "quoted",
    "emphasis",
    "drain_timeout",
    "a",
    "b",
    "rock",
    "n",
    "roll",
  ]);
});

test("Chinese and Japanese runs become pairs of characters, beside letters of other scripts", () => {
  expect(termsOf("检查点 を kill後")).toEqual(["检查", "查点", "を", "kill", "後"]);
});

test("compatibility forms are one term", () => {
  expect(termsOf("ﬁle ＦＩＬＥ")).toEqual(["file", "file"]);
});

test("a run of letters too long to be a word is no term", () => {
  const longest = "x".repeat(termLengthMax);
  expect(termsOf(`${longest} ${longest}y`)).toEqual([longest]);
});

test(`a term found in any text is found again when it is searched for (PULSE_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
      for (const term of termsOf(text)) expect(termsOf(term)).toEqual([term]);
    }),
    { seed, numRuns: 500 },
  );
});

test(`the page's search box makes the same terms of any text (PULSE_SEED=${seed})`, () => {
  const inPage: (text: string) => string[] = runInNewContext(`${termsOfScript}; termsOf`);
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 80 }),
    fc.constantFrom("_a'b_ 检查点ー", "don’t", "x".repeat(65)),
  );
  fc.assert(
    fc.property(text, (given) => {
      expect([...inPage(given)]).toEqual(termsOf(given));
    }),
    { seed, numRuns: 500 },
  );
});
