import fc from "fast-check";
import { expect, test } from "vitest";
import { countTerms } from "../text/count-terms.ts";
import { countOutsideProse, proseOf } from "../text/prose.ts";
import { byCodeUnits } from "../text/order.ts";
import type { ReadFile } from "../values.ts";
import { invert } from "./invert.ts";
import { mergeIndexes, mergeStatistics } from "./merge.ts";
import { rank } from "./rank.ts";
import { search } from "./search.ts";
import { statisticsOf } from "./statistics.ts";

const seed = Number(process.env["PULSE_SEED"] ?? 20_260);

const file = (path: string, text: string): ReadFile => ({
  path,
  title: path,
  bytes: text.length,
  lines: 1,
  digest: "",
  terms: countTerms(text),
  outsideProse: countOutsideProse(countTerms(text), proseOf(text, { markdown: true })),
});

test("statistics count words, and terms once", () => {
  const skipped = [{ path: "z.md", reason: "binary data, no text" }];
  expect(statisticsOf({ files: [file("a.md", "one two two")], skipped })).toEqual({
    files: [{ path: "a.md", title: "a.md", bytes: 11, lines: 1, words: 3, distinct: 2, digest: "" }],
    skipped,
  });
});

test("an index knows for each term its files and how often they say it", () => {
  expect(invert([file("a.md", "one two two"), file("b.md", "two constructor")])).toEqual({
    paths: ["a.md", "b.md"],
    postings: [
      ["constructor", [[1, 1]]],
      ["one", [[0, 1]]],
      [
        "two",
        [
          [0, 2],
          [1, 1],
        ],
      ],
    ],
    outsideProse: [],
  });
});

const words = fc.constantFrom("alpha", "beta", "gamma", "delta", "constructor", "toString", "ä", "检查");
const files = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1, maxLength: 6 }), fc.array(words, { maxLength: 12 })), {
    selector: ([path]) => path,
    maxLength: 12,
  })
  .map((made) => made.map(([path, said]) => file(path, said.join(" "))));

test(`however the files are dealt out, the merged index and table are the same (PULSE_SEED=${seed})`, () => {
  fc.assert(
    fc.property(files, fc.array(fc.nat({ max: 4 }), { minLength: 12, maxLength: 12 }), (all, dealt) => {
      const parts = [0, 1, 2, 3, 4].map((part) => all.filter((_, at) => dealt[at] === part));
      const merged = mergeIndexes(parts.map(invert));
      const whole = invert(all.toSorted((left, right) => byCodeUnits(left.path, right.path)));
      expect(merged).toEqual(whole);
      const texts = (some: readonly ReadFile[]) => statisticsOf({ files: [...some], skipped: [] });
      expect(mergeStatistics(parts.map(texts), [], merged)).toEqual(mergeStatistics([texts(all)], [], whole));
    }),
    { seed, numRuns: 200 },
  );
});

test("what is rare and often said ranks first; what every file says, and what only joins words, not at all", () => {
  const ranking = rank(
    invert([
      file("a.md", "the cursor cursor cursor with"),
      file("b.md", "the lease"),
      file("c.md", "the lease x 42 0123456789abcdef"),
    ]),
  );
  expect(ranking.terms.map(({ term }) => term)).toEqual(["cursor", "lease"]);
  expect(ranking.terms[0]).toEqual({ term: "cursor", score: 2.3056, files: 1, count: 3 });
  expect(ranking.byFile.map((terms) => terms.map(({ term }) => term))).toEqual([["cursor"], ["lease"], ["lease"]]);
});

test("a word that several files say ranks before one that a single file repeats", () => {
  const ranking = rank(
    invert([
      ...["a", "b", "c", "d", "e"].map((name) => file(`${name}.md`, "lease lease lease lease")),
      file("f.md", "noise ".repeat(9)),
      ...["g", "h", "i", "j"].map((name) => file(`${name}.md`, "")),
    ]),
  );
  expect(ranking.terms.map(({ term }) => term)).toEqual(["lease", "noise"]);
  expect(ranking.terms[0]).toMatchObject({ files: 5, count: 20 });
});

test("what stands in code or identifiers is counted, but ranks nothing", () => {
  const index = invert([file("a.md", "the cursor `cursor` `hidden` ABC-1"), file("b.md", "lease")]);
  const ranking = rank(index);
  expect(ranking.byFile[0]).toEqual([{ term: "cursor", score: 0.6931, count: 2 }]);
  expect(ranking.terms.map(({ term }) => term)).toEqual(["cursor", "lease"]);
  expect(search(index, "abc hidden")).toHaveLength(1);
});

test("of a word and its plural the better one is shown", () => {
  const ranking = rank(invert([file("a.md", "run runs run sails"), file("b.md", "sail sails")]));
  expect(ranking.terms.map(({ term }) => term)).toEqual(["run", "sail"]);
});

test("a folder of one file ranks its terms by how often it says them", () => {
  expect(rank(invert([file("a.md", "sail tide tide")])).terms.map(({ term }) => term)).toEqual(["tide", "sail"]);
});

test("a search wants all terms, and knows no term of an object's own", () => {
  const index = invert([file("a.md", "retry budget"), file("b.md", "retry retry"), file("c.md", "store")]);
  expect(search(index, "Retry").map(({ path }) => path)).toEqual(["b.md", "a.md"]);
  expect(search(index, "retry, budget").map(({ path }) => path)).toEqual(["a.md"]);
  expect([search(index, "retry nothing"), search(index, "constructor"), search(index, " ")]).toEqual([[], [], []]);
});
