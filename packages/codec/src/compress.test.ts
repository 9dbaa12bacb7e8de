import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  bytesType,
  compress,
  createCodecs,
  defineCodec,
  encrypt,
  json,
  structured,
  valueBytesMax,
  type Codec,
} from "./index.ts";
import { reasonOf } from "./testing/refusal.ts";

const bytes = createCodecs().forType(bytesType, "bytes") as Codec<Uint8Array>;
const page = json(z.object({ text: z.string() }), { id: "page", version: "3" });

/** A stored value as `compress` lays it out: marker, announced size, deflated bytes. */
function stored(size: number, body: Uint8Array, marker = 1): Uint8Array {
  const head = new Uint8Array(5);
  head[0] = marker;
  new DataView(head.buffer).setUint32(1, size, true);
  return Buffer.concat([head, body]);
}

describe("CODEC-11 compress", () => {
  test("CODEC-11 its id and version are made of those inside, and the type stays", () => {
    const codec = compress(page);
    expect([codec.id, codec.version, codec.type]).toEqual(["deflate(page)", "3", page.type]);
  });

  test("CODEC-11 values that gain get smaller, small and random ones take one byte more, and all come back", () => {
    const long = { text: "pulse ".repeat(10_000) };
    expect(compress(page).encode(long).byteLength).toBeLessThan(1_000);
    expect(compress(page).decode(compress(page).encode(long))).toEqual(long);
    const short = { text: "pulse" };
    expect(compress(page).encode(short)).toEqual(new Uint8Array([0, ...page.encode(short)]));
    const random = randomBytes(5_000);
    expect(compress(bytes).encode(random).byteLength).toBe(5_001);
    expect(compress(bytes).decode(compress(bytes).encode(random))).toEqual(new Uint8Array(random));
  });

  test("CODEC-1 CODEC-11 any bytes come back, equal bytes are stored equally, at any level", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.integer({ min: 1, max: 9 }), (value, level) => {
        const codec = compress(bytes, { level, bytesMin: 0 });
        const encoded = codec.encode(value);
        expect(codec.decode(encoded)).toEqual(value);
        expect(codec.encode(value.slice())).toEqual(encoded);
        expect(compress(bytes).decode(encoded)).toEqual(value);
      }),
    );
  });

  test("CODEC-19 the fingerprint is the inner codec's, since another zlib may compress otherwise", () => {
    const value = { text: "pulse ".repeat(100) };
    expect(compress(page).fingerprint(value)).toBe(page.fingerprint(value));
    expect(compress(page).fingerprintsBytes).toBe(false);
    const secret = encrypt(page, { keys: { k1: randomBytes(32) } });
    expect(compress(secret).fingerprintKeys).toEqual(secret.fingerprintKeys);
    expect(compress(secret).fingerprint(value)).toBe(secret.fingerprint(value));
  });

  test("CODEC-12 a value that announces more than valueBytesMax is refused with the figure, before it is inflated", () => {
    const bomb = deflateRawSync(new Uint8Array(valueBytesMax + 1), { level: 1 });
    const before = process.memoryUsage().arrayBuffers;
    expect(reasonOf(() => compress(bytes).decode(stored(valueBytesMax + 1, bomb), { key: "page" }))).toContain(
      `${valueBytesMax + 1} bytes when inflated, and ${valueBytesMax} (valueBytesMax)`,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });

  test("CODEC-12 a value that inflates to more than it announces is given up there, and an impossible size at once", () => {
    const bomb = deflateRawSync(new Uint8Array(1 << 20));
    const announced = bomb.byteLength * 2;
    expect(reasonOf(() => compress(bytes).decode(stored(announced, bomb)))).toContain("does not inflate to");
    expect(reasonOf(() => compress(bytes).decode(stored(valueBytesMax, randomBytes(10))))).toBe(
      `10 bytes cannot inflate to ${valueBytesMax}`,
    );
  });

  test("CODEC-12 valueBytesMax itself passes when it gains, and is refused with the figure when it does not", () => {
    const zeros = new Uint8Array(valueBytesMax);
    expect(compress(bytes).decode(compress(bytes, { level: 1 }).encode(zeros)).byteLength).toBe(valueBytesMax);
    expect(reasonOf(() => compress(bytes, { bytesMin: Infinity }).encode(zeros))).toBe(
      `it has ${valueBytesMax + 1} bytes, and ${valueBytesMax} (valueBytesMax) are the most`,
    );
  });

  test("CODEC-14 what compressing could not have written is refused: cut, lengthened, changed, without a marker", () => {
    const codec = compress(bytes);
    const good = codec.encode(new Uint8Array(1_000).fill(7));
    const changed = good.slice();
    changed[7] = (changed[7] as number) ^ 0xff;
    const wrong = [
      new Uint8Array(),
      new Uint8Array([2, 1, 2, 3]),
      new Uint8Array([1, 0]),
      good.subarray(0, -1),
      Buffer.concat([good, Uint8Array.of(0)]),
      stored(999, good.subarray(5)),
      stored(1_001, good.subarray(5)),
      stored(2, deflateRawSync(Uint8Array.of(1, 2))),
      changed,
    ];
    for (const each of wrong) expect(reasonOf(() => codec.decode(each))).not.toBe("");
  });

  test("CODEC-12 depth is limited inside as outside", () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 0;
      for (let level = 0; level < depth; level++) value = [value];
      return value;
    };
    const codec = compress(structured());
    const deep = codec.encode(nested(1_000));
    expect(codec.encode(codec.decode(deep))).toEqual(deep);
    for (const depth of [1_001, 30_000])
      expect(reasonOf(() => codec.encode(nested(depth)))).toContain("1000 levels (depthMax)");
    const text = `${"[0,".repeat(30_000)}0${"]".repeat(30_000)}`;
    const tooDeep = stored(text.length, deflateRawSync(Buffer.from(text)));
    expect(reasonOf(() => codec.decode(tooDeep))).toContain("1000 levels (depthMax)");
  });

  test("CODEC-11 options out of range are refused at once", () => {
    for (const level of [0, 10, 1.5, Number.NaN]) expect(reasonOf(() => compress(bytes, { level }))).toContain("level");
    for (const bytesMin of [-1, Number.NaN])
      expect(reasonOf(() => compress(bytes, { bytesMin }))).toContain("bytesMin");
  });

  test("CODEC-11 an inner codec that breaks its promises is refused as everywhere", () => {
    const broken = {
      ...defineCodec({
        type: bytesType,
        id: "broken",
        version: "1",
        encode: (value) => value,
        decode: (value) => value,
      }),
      encode: () => "no bytes" as unknown as Uint8Array,
    };
    expect(reasonOf(() => compress(broken).encode(new Uint8Array()))).toContain("did not return a Uint8Array");
  });
});
