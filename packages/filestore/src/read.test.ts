import { expect, test } from "vitest";
import type { JournalContent } from "./journal.ts";
import { countingLines } from "./read.ts";

const journal = (epoch: number, kind: "save" | "seal", from: number, to: number): JournalContent => ({
  epoch,
  lines: Array.from({ length: to - from + 1 }, (_value, index) => ({
    kind: index === 0 ? kind : ("save" as const),
    revision: from + index,
    where: `journal ${epoch}:${index + 1}`,
  })),
  closed: false,
  closedAt: to,
  bytes: 0,
});

test("FILE-3 what an owner wrote after the next one had fixed what it found does not count", () => {
  const lines = countingLines([journal(1, "save", 1, 5), journal(2, "seal", 3, 4)]);
  expect(lines.map(({ line: { kind, revision } }) => `${kind} ${revision}`)).toEqual([
    "save 1",
    "save 2",
    "save 3",
    "seal 3",
    "save 4",
  ]);
});

test("FILE-4 REC-24 a journal of 200,000 lines is read", () => {
  const lines = countingLines([journal(1, "save", 1, 200_000)]);
  expect([lines.length, lines[0]?.line.revision, lines.at(-1)?.line.revision]).toEqual([200_000, 1, 200_000]);
});
