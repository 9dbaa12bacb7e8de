import fc from "fast-check";
import { expect, test } from "vitest";
import { stringText } from "./canonical.ts";
import { valueBytesMax } from "./limits.ts";
import { Place } from "./place.ts";
import { decodeStructured, encodeStructured } from "./structured.ts";
import { fromQuotedUtf8, toQuotedUtf8 } from "./utf8.ts";

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[\u0000-\u007f]*$/),
  fc.constantFrom(
    "",
    '"',
    "\\",
    "\u0000",
    "\u001f",
    "\u007f",
    "\u2028",
    "é",
    "Ł",
    "日本",
    "😀",
    "a\tb",
    "\uFEFF",
    '","',
  ),
);
const written = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");

test("CODEC-6 CODEC-8 a text without escapes has the bytes that JSON gives it, in memory of its own", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const bytes = toQuotedUtf8(text);
      const plain = JSON.stringify(text) === `"${text}"`;
      expect(written(bytes)).toBe(plain ? JSON.stringify(text) : undefined);
      if (bytes === undefined) return;
      expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
      expect(fromQuotedUtf8(bytes)).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test("CODEC-6 CODEC-8 every well-formed text is written as JSON writes it, and comes back", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(stringText(text, new Place("encode", "k"))).toBe(JSON.stringify(text));
      const bytes = encodeStructured(text, "k");
      expect(written(bytes)).toBe(JSON.stringify(text));
      expect(decodeStructured(bytes, "k")).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test("CODEC-8 half of a surrogate pair is left to the way that refuses it", () => {
  for (const text of ["\ud800", "a\udc00b", "\udc00\ud800"]) {
    expect(toQuotedUtf8(text)).toBeUndefined();
    expect(() => encodeStructured(text, "k")).toThrow(/lone surrogate/);
  }
});

test("CODEC-14 bytes that are no text between quotes as encoding writes it are left to the way that judges them", () => {
  const others = ['"', "", "x", '"a', 'a"', '"a"b"', '"a\\"', '"\\u0041"', '"a\tb"', '"\u0000"', '["a"]', ' "a"'];
  for (const text of others) expect(fromQuotedUtf8(Buffer.from(text))).toBeUndefined();
  expect(fromQuotedUtf8(Uint8Array.of(0x22, 0xff, 0x22))).toBeUndefined();
  expect(fromQuotedUtf8(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toBeUndefined();
});

test("CODEC-12 a text that is too big is left to the way that refuses it by its size", () => {
  const most = "x".repeat(valueBytesMax - 2);
  expect(toQuotedUtf8(most)?.byteLength).toBe(valueBytesMax);
  expect(toQuotedUtf8(`${most}x`)).toBeUndefined();
  expect(() => encodeStructured(`${most}x`, "k")).toThrow(/valueBytesMax/);
});
