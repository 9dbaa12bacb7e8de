import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprintOf, fingerprintOfLists } from "./fingerprint.ts";

const seed = Number(process.env["PULSE_SEED"] ?? Date.now() % 1_000_000);

test(`DUR-5 the fingerprint of lists is that of their canonical JSON, whatever they hold (seed ${seed})`, () => {
  const { list } = fc.letrec((tie) => ({
    list: fc.array(tie("item"), { maxLength: 6 }),
    item: fc.oneof(
      { maxDepth: 4, depthIdentifier: "list" },
      fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
      fc.constantFrom("\\ud800", "\n", '"', "\u2028", "__proto__", ""),
      fc.nat(),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
    ),
  }));
  fc.assert(
    fc.property(list, (data) => {
      expect(fingerprintOfLists(data)).toBe(fingerprintOf(data));
    }),
    { seed, numRuns: 500 },
  );
});

test("DUR-5 V6 an unpaired surrogate in a definition is refused, not written as an escape", () => {
  expect(() => fingerprintOfLists(["name", ["\ud800"]])).toThrow(
    expect.objectContaining({ code: "PULSE_CODEC", message: expect.stringContaining("surrogate") }),
  );
});
