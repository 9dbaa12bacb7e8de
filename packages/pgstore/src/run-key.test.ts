import fc from "fast-check";
import { expect, test } from "vitest";
import { afterPrefix, orderedBytes, runKey, textOfOrdered } from "./run-key.ts";

const seed = Number(process.env["PULSE_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
/** Any units, unpaired surrogates included, many of them at the borders. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0xff, 0x100, 0xd800, 0xdfff, 0xe000, 0xffff)))
  .map((units) => String.fromCharCode(...units));

test("STORE-7 the bytes of run ids order as `<` orders the ids, and give each id back", () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      expect(textOfOrdered(orderedBytes(one))).toBe(one);
      const order = one === other ? 0 : one < other ? -1 : 1;
      expect(Buffer.compare(orderedBytes(one), orderedBytes(other))).toBe(order);
    }),
    { seed },
  );
});

test("STORE-7 what begins with a prefix lies before the bytes after it, and what does not lies outside", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (prefix, rest, other) => {
      const after = afterPrefix(orderedBytes(prefix));
      const inside = (text: string): boolean =>
        Buffer.compare(orderedBytes(text), orderedBytes(prefix)) >= 0 &&
        (after === undefined || Buffer.compare(orderedBytes(text), after) < 0);
      expect(inside(prefix + rest)).toBe(true);
      expect(inside(other)).toBe(other.startsWith(prefix));
    }),
    { seed },
  );
});

test("STORE-7 bytes that are half a unit are no run id", () => {
  expect(textOfOrdered(Buffer.from([0, 0x61, 0]))).toBeUndefined();
});

test("FILE-1 run ids that look alike are different keys", () => {
  const ids = ["a", "A", "a\0", "á", "a\u0301", "a ", ""];
  expect(new Set(ids.map((id) => runKey(id).digest.toString("hex"))).size).toBe(ids.length);
});
