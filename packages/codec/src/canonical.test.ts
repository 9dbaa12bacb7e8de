import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "./index.ts";
import { refusal } from "./testing/refusal.ts";

describe("canonicalJson", () => {
  test("CODEC-8 the example of RFC 8785", () => {
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test("CODEC-8 -0 is written -0", () => {
    expect(canonicalJson([-0, 0])).toBe("[-0,0]");
  });

  test("CODEC-7 what is no JSON is refused by path", () => {
    const values: readonly (readonly [unknown, string])[] = [
      [undefined, ""],
      [{ a: undefined }, "a"],
      [{ a: [() => 1] }, "a[0]"],
      [[1n], "[0]"],
      [[Number.NaN], "[0]"],
      [{ a: new Date(0) }, "a"],
      [new Map(), ""],
      ["\ud800", ""],
      [Object.assign([], { length: 4_294_967_295 }), "[0]"],
      [Object.defineProperty({}, "a", { get: () => 1, enumerable: true }), "a"],
    ];
    for (const [value, path] of values) expect(refusal(() => canonicalJson(value)).details.path).toBe(path);
  });

  test("CODEC-12 too deep, and a cycle, are refused", () => {
    const value: unknown[] = [];
    value.push(value);
    expect(refusal(() => canonicalJson(value)).message).toContain("contains itself");
  });

  test("CODEC-1 any JSON: the same text for any order of keys, and it parses to the same (seed 20260104)", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      const entries = Object.entries(value).map(([name, part]) => [name, reversed(part)] as const);
      return Object.fromEntries(entries.reverse());
    };
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { seed: 20_260_104, numRuns: 300 },
    );
  });
});
