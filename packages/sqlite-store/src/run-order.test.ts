import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { behindPrefix, fromSortKey, sortKey } from "./run-order.ts";

const text = fc.string({
  unit: fc.oneof(fc.nat(0xffff).map(String.fromCharCode), fc.constantFrom("a", "\0", "￿", "😀")),
});
const seed = Number(process.env["PULSE_SEED"] ?? randomInt(2 ** 31));

const signOf = (number: number): number => Math.sign(number);

test("STORE-7 the bytes of run ids are ordered as `<` orders the ids, and give them back", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(signOf(Buffer.compare(sortKey(a), sortKey(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(fromSortKey(sortKey(a))).toBe(a);
    }),
    { seed },
  );
  // By UTF-8 it would be the other way round.
  expect(Buffer.compare(sortKey("😀"), sortKey("￿"))).toBe(-1);
});

test("STORE-7 what begins with a prefix lies between it and what is behind it, and nothing else does", () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const behind = behindPrefix(prefix);
      for (const id of [other, prefix + other, prefix]) {
        const key = sortKey(id);
        const inside =
          Buffer.compare(key, sortKey(prefix)) >= 0 && (behind === undefined || Buffer.compare(key, behind) < 0);
        expect(inside).toBe(id.startsWith(prefix));
      }
    }),
    { seed },
  );
});
