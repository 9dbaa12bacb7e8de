import type { TypeToken } from "@pulse-ts/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bigintType,
  booleanType,
  bytesType,
  createCodecs,
  dateType,
  nullType,
  numberType,
  stringType,
  urlType,
  type Codec,
} from "./index.ts";
import { refusal } from "./testing/refusal.ts";

const codecs = createCodecs();
// The cast holds: the registry found the codec by this very token.
const of = <Value>(token: TypeToken<Value>): Codec<Value> => codecs.forType(token, "k") as Codec<Value>;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("scalars", () => {
  const cases: readonly (readonly [TypeToken<unknown>, readonly unknown[], readonly unknown[], readonly string[]])[] = [
    [stringType, ["", "a\u0000b", "😀", "x".repeat(1024)], [1, undefined, "a\ud800", Object("a")], []],
    [
      numberType,
      [0, -0, 0.1, Number.NaN, Infinity, -Infinity, 5e-324, 1e308],
      ["1", 1n, null],
      ["", "1.0", "+1", "0x1", " 1", "one", "-NaN"],
    ],
    [booleanType, [true, false], [0, "true", null], ["", "TRUE", "1"]],
    [bigintType, [0n, -5n, 10n ** 40n], [1, "1"], ["", "-0", "01", "0x1", "1n"]],
    [nullType, [null], [undefined, 0, {}], ["", "undefined"]],
    [
      dateType,
      [new Date(0), new Date(-1), new Date(Number.NaN), new Date(8.64e15)],
      [0, "2020", new (class Day extends Date {})(), Object.assign(new Date(0), { a: 1 })],
      ["", "1.5", "x", "8640000000000001"],
    ],
    [
      urlType,
      [new URL("https://a.b/c?d#e"), new URL("mailto:a@b")],
      ["https://a.b", { href: "https://a.b/" }],
      ["", "a", "HTTPS://a.b"],
    ],
    [
      bytesType,
      [new Uint8Array(), new Uint8Array([0, 255, 128])],
      ["a", [1], new Uint16Array(1), new ArrayBuffer(1)],
      [],
    ],
  ];

  for (const [token, values, others, texts] of cases) {
    test(`CODEC-3 V3 ${token.name}: equal or refused`, () => {
      const codec = of(token);
      for (const value of values) {
        expect(codec.decode(codec.encode(value))).toStrictEqual(value);
        expect(codec.fingerprint(value)).toMatch(/^[0-9a-f]{64}$/);
      }
      for (const other of others) expect(refusal(() => codec.encode(other, { key: "k" })).details.key).toBe("k");
      for (const text of texts)
        expect([text, refusal(() => codec.decode(bytesOf(text))).code]).toEqual([text, "PULSE_CODEC"]);
    });
  }

  test("CODEC-1 a string is its UTF-8 bytes, and invalid UTF-8 is refused", () => {
    expect(of(stringType).encode("aé")).toEqual(bytesOf("aé"));
    expect(refusal(() => of(stringType).decode(new Uint8Array([0xc0, 0x80]))).message).toContain("UTF-8");
    expect(of(stringType).decode(bytesOf("\uFEFFa"))).toBe("\uFEFFa");
  });

  test("V2 CODEC-3 bytes are copied both ways, and a Buffer comes back as a plain Uint8Array", () => {
    const given = Buffer.from([1, 2]);
    const stored = of(bytesType).encode(given);
    given[0] = 9;
    const back = of(bytesType).decode(stored);
    stored[1] = 9;
    expect(back).toStrictEqual(new Uint8Array([1, 2]));
    expect(back.buffer.byteLength).toBe(2);
  });

  test("CODEC-3 any string, number and bigint (seed 20260103)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.double(), fc.bigInt(), (text, number, big) => {
        expect(of(stringType).decode(of(stringType).encode(text))).toBe(text);
        expect(of(numberType).decode(of(numberType).encode(number))).toBe(number);
        expect(of(bigintType).decode(of(bigintType).encode(big))).toBe(big);
      }),
      { seed: 20_260_103 },
    );
  });
});
