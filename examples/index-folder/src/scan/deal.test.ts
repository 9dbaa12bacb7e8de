import fc from "fast-check";
import { expect, test } from "vitest";
import type { FileEntry } from "../values.ts";
import { deal, fileBytesMax } from "./deal.ts";

const seed = Number(process.env["PULSE_SEED"] ?? 20_260);
const entry = (path: string, bytes: number, readable = true): FileEntry => ({ path, bytes, modified: "0", readable });
const listing = (files: FileEntry[], closed: string[] = []) => ({ files, closed, otherFiles: 0 });

test("files are dealt out by size, each list ascending by path", () => {
  const dealt = deal(listing([entry("a", 10), entry("b", 60), entry("c", 20), entry("d", 30)]), 2);
  expect(dealt.chunks.map((chunk) => chunk.map(({ path }) => path))).toEqual([["b"], ["a", "c", "d"]]);
});

test("what cannot or shall not be read is named with its reason", () => {
  const files = [entry("big.txt", fileBytesMax + 1), entry("kept.txt", fileBytesMax), entry("locked.txt", 1, false)];
  expect(deal(listing(files, ["cellar"]), 1)).toEqual({
    chunks: [[entry("kept.txt", fileBytesMax)]],
    passedOver: [
      { path: "big.txt", reason: "larger than 4 MiB" },
      { path: "cellar", reason: "the folder cannot be opened" },
      { path: "locked.txt", reason: "no permission to read it" },
    ],
  });
});

test(`every file is dealt once, and no chunk is heavier than another by more than one file (PULSE_SEED=${seed})`, () => {
  const sizes = fc.array(fc.nat({ max: 5_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 9 }), (bytes, chunks) => {
      const files = bytes.map((size, at) => entry(`f${at}`, size));
      const dealt = deal(listing(files), chunks);
      expect(dealt.chunks).toHaveLength(chunks);
      expect(new Set(dealt.chunks.flat())).toEqual(new Set(files));
      expect(dealt.chunks.flat()).toHaveLength(files.length);
      const weights = dealt.chunks.map((chunk) => chunk.reduce((sum, file) => sum + file.bytes + 1, 0));
      expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(Math.max(0, ...bytes) + 1);
    }),
    { seed, numRuns: 200 },
  );
});
