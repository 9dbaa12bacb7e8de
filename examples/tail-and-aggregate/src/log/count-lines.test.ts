import { expect, test } from "vitest";
import { plainCount, sampleLines } from "../testing/sample-log.ts";
import { addUp, countLines, nothingCounted } from "./count-lines.ts";

test("portions of any size add up to the plain count, late lines included", () => {
  const lines = sampleLines(400);
  for (const size of [1, 7, 64]) {
    let counted = countLines(nothingCounted, [], "");
    const ended = [];
    for (let at = 0; at < lines.length; at += size) {
      counted = countLines(counted.tally, lines.slice(at, at + size), "");
      ended.push(...counted.ended);
    }
    const { open, ...totals } = counted.tally;
    expect({ ...totals, minutes: addUp(open === undefined ? ended : [...ended, open]) }).toEqual(
      plainCount(lines.join("\n")),
    );
  }
});

test("only paths that begin with the prefix are counted", () => {
  const { tally } = countLines(nothingCounted, sampleLines(5), "/page/3");
  expect(tally).toEqual({ lines: 5, unread: 0, open: { minute: "2026-03-01T08:00Z", counts: { "301": 1 } } });
});
