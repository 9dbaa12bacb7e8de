import fc from "fast-check";
import { expect, test } from "vitest";
import { attemptKey, headerKey, idsKey, nodeKey, parseEntryKey, parseIds, scopeKey } from "./entry-key.ts";

test("REC-27 an entry key is its kind and its ids, percent-encoded and joined", () => {
  expect([scopeKey("s"), nodeKey("s", "a/b c"), attemptKey("a"), headerKey]).toStrictEqual([
    "scope/s",
    "node/s/a%2Fb%20c",
    "attempt/a",
    "header",
  ]);
  expect(parseEntryKey("node/s/a%2Fb")).toStrictEqual({ kind: "node", ids: "s/a%2Fb" });
  for (const key of ["header", "", "nodes/s/a", "toString/a", "__proto__/a"]) {
    expect(parseEntryKey(key)).toBe(undefined);
  }
});

test("V6 REC-27 any well-formed ids come back from their key, and no two lists share one", () => {
  const id = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "/", "%", "%2F", ".", "..", "__proto__", "a\0b"),
  );
  fc.assert(
    fc.property(id, id, id, id, (one, other, third, fourth) => {
      const key = idsKey(one, other);
      expect(parseIds("node", key)).toStrictEqual([one, other]);
      expect(key === idsKey(third, fourth)).toBe(one === third && other === fourth);
      expect(parseIds("attempt", key)).toBe(undefined);
    }),
    { seed: 9, numRuns: 500 },
  );
});

test("REC-27 a key in another writing than its own is none", () => {
  for (const ids of ["%61", "%2f", "a%", "%ff", "a b", "\u00e9"]) expect(parseIds("attempt", ids)).toBe(undefined);
});
