import { createHmac, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { key, type } from "@pulse-ts/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  bytesType,
  compress,
  createCodecs,
  defineCodec,
  depthMax,
  encrypt,
  json,
  keyRing,
  sha256Hex,
  structured,
  stringType,
  urlType,
  valueBytesMax,
  type Codec,
} from "./index.ts";
import { reasonOf, refusal } from "./testing/refusal.ts";

const k1 = randomBytes(32);
const k2 = randomBytes(32);
const ring = keyRing({ keys: { k1 } });
const bytes = createCodecs().forType(bytesType, "bytes") as Codec<Uint8Array>;
const text = createCodecs().forType(stringType, "text") as Codec<string>;
const card = json(z.object({ number: z.string() }), { id: "card", version: "2" });
const secret = "4929-7318-1111-2222";

/** Everything that an error shows to whoever digs. */
const shownBy = (error: Error): string =>
  inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error) + String(error.stack);

describe("encrypt", () => {
  test("CODEC-11 its id and version are made of those inside, and the type stays", () => {
    const codec = encrypt(card, ring);
    expect([codec.id, codec.version, codec.type]).toEqual(["aes-256-gcm(card)", "2", card.type]);
    expect(encrypt(compress(card), ring).id).toBe("aes-256-gcm(deflate(card))");
    expect(encrypt(text, ring).immutable).toBe(true);
  });

  test("CODEC-11 any bytes come back, and the bytes name the key's id and hold nothing else in clear", () => {
    const codec = encrypt(bytes, ring);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (value) => {
        const stored = codec.encode(value);
        expect(codec.decode(stored)).toEqual(value);
        expect(stored.byteLength).toBe(value.byteLength + 3 + 2 + 12 + 16);
        expect(Buffer.from(stored).subarray(3, 5).toString()).toBe("k1");
        expect(value.length > 4 && Buffer.from(stored).includes(Buffer.from(value))).toBe(false);
      }),
    );
    expect(Buffer.from(encrypt(card, ring).encode({ number: secret })).toString("latin1")).not.toContain("4929");
  });

  test("CODEC-19 equal values have unlike bytes: each has a nonce of its own", () => {
    const codec = encrypt(text, ring);
    const stored = new Set(Array.from({ length: 1_000 }, () => Buffer.from(codec.encode(secret)).toString("hex")));
    expect(stored.size).toBe(1_000);
    expect(codec.fingerprintsBytes).toBe(false);
  });

  test("CODEC-11 after a rotation new values take the new key, and old ones are still read", () => {
    const old = encrypt(text, ring);
    const rotated = encrypt(text, { keys: { k1, k2 }, current: "k2" });
    expect(rotated.decode(old.encode(secret))).toBe(secret);
    const stored = rotated.encode(secret);
    expect(Buffer.from(stored).subarray(3, 5).toString()).toBe("k2");
    expect(rotated.decode(stored)).toBe(secret);
    expect(refusal(() => old.decode(stored)).details).toMatchObject({ keyId: "k2", keyMissing: true });
  });

  test("CODEC-11 a missing key is an error that names its id, and what the ring has", () => {
    const stored = encrypt(text, ring).encode(secret);
    const error = refusal(() => encrypt(text, { keys: { k2 } }).decode(stored, { key: "card" }));
    expect(error.message).toBe(
      'cannot decode the value of key "card": it was encrypted with the key "k1", which the key ring does not have (it has "k2"); add that key to the ring',
    );
    expect(error.details).toEqual({ key: "card", path: "", reason: expect.any(String), keyId: "k1", keyMissing: true });
  });

  test("CODEC-11 another key of the same id is an error that names the id and leaks nothing", () => {
    const stored = encrypt(text, ring).encode(secret);
    const error = refusal(() => encrypt(text, { keys: { k1: k2 } }).decode(stored, { key: "card" }));
    expect(error.message).toContain('cannot decode the value of key "card": it cannot be opened with the key "k1"');
    expect(error.details.keyId).toBe("k1");
    expect(error.details.keyMissing).toBeUndefined();
    expect("cause" in error).toBe(false);
    for (const hidden of [secret, k1.toString("hex"), k2.toString("hex"), k2.toString("base64")])
      expect(shownBy(error)).not.toContain(hidden);
  });

  test("CODEC-11 CODEC-14 each changed bit, each cut and anything appended is refused and shows nothing", () => {
    const codec = encrypt(text, ring);
    const stored = codec.encode(secret);
    for (let at = 0; at < stored.byteLength * 8; at++) {
      const changed = stored.slice();
      changed[at >> 3] = (changed[at >> 3] as number) ^ (1 << (at & 7));
      expect(shownBy(refusal(() => codec.decode(changed)))).not.toContain("4929");
    }
    for (let length = 0; length < stored.byteLength; length++)
      expect(reasonOf(() => codec.decode(stored.subarray(0, length)))).not.toBe("");
    expect(reasonOf(() => codec.decode(Buffer.concat([stored, Uint8Array.of(0)])))).toContain('with the key "k1"');
    expect(reasonOf(() => codec.decode(Buffer.from(secret)))).toContain("never encrypted");
  });

  test("CODEC-11 bytes of another codec, of another version or under another key id are refused: all three are authenticated", () => {
    const made = (id: string, version: string): Codec<string> => structured(type<string>("secret"), { id, version });
    const stored = encrypt(made("pin", "1"), ring).encode(secret);
    expect(encrypt(made("pin", "1"), ring).decode(stored)).toBe(secret);
    for (const other of [made("pin", "2"), made("pan", "1")])
      expect(reasonOf(() => encrypt(other, ring).decode(stored))).toContain("by another codec");
    const renamed = Buffer.from(stored);
    renamed.write("k9", 3);
    const both = encrypt(made("pin", "1"), { keys: { k1, k9: k1 }, current: "k1" });
    expect(reasonOf(() => both.decode(renamed))).toContain('with the key "k9"');
  });

  test("CODEC-11 what the inner codec says of a value is kept back, both ways, and with it every cause", () => {
    const strict = encrypt(
      json(
        z.object({
          number: z
            .string()
            .refine((found) => found.startsWith("5"), { error: ({ input }) => `bad: ${String(input)}` }),
        }),
        {
          id: "strict",
          version: "1",
        },
      ),
      ring,
    );
    const throwing = defineCodec({
      type: type<string>("throwing"),
      id: "throwing",
      version: "1",
      encode: (value) => {
        throw Object.assign(new Error(`no: ${value}`), { value });
      },
      decode: (stored) => new TextDecoder().decode(stored),
    });
    const asUrl = json(z.codec(z.string(), z.instanceof(URL), { decode: (given) => new URL(given), encode: String }), {
      id: "text",
      version: "1",
    });
    const renamed: Codec<string> = { ...text, id: "url" };
    const asText = encrypt({ ...text, id: "json" }, ring).encode(secret);
    const refused = [
      refusal(() => strict.encode({ number: secret })),
      refusal(() => strict.encode({ number: secret, [secret]: 1 } as { number: string })),
      refusal(() => encrypt(throwing, ring).encode(secret)),
      refusal(() => encrypt(throwing, ring).fingerprint(secret)),
      // Opened rightly, but what was inside is of another kind: the parser's words quote it.
      refusal(() => encrypt(json(z.string(), { id: "json", version: "1" }), ring).decode(asText)),
      refusal(() =>
        encrypt({ ...createCodecs().forType(urlType, "url"), id: "url" }, ring).decode(
          encrypt(renamed, ring).encode(secret),
        ),
      ),
      refusal(() => encrypt(asUrl, ring).decode(encrypt(text, ring).encode(secret))),
      refusal(() =>
        encrypt(json(z.record(z.string(), z.number()), { id: "names", version: "1" }), ring).encode({
          [secret]: "x",
        } as never),
      ),
    ];
    for (const error of refused) {
      expect(shownBy(error)).not.toContain("4929");
      expect("cause" in error).toBe(false);
      expect(error.details.path).toBe("");
    }
    expect(refused[0]?.message).toContain('its codec "strict" refuses it; what it says is kept back');
  });

  test("CODEC-12 limits are told with their figures, also of what is encrypted", () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 0;
      for (let level = 0; level < depth; level++) value = [value];
      return value;
    };
    const codec = encrypt(structured(), ring);
    expect(codec.fingerprint(codec.decode(codec.encode(nested(depthMax))))).toBe(codec.fingerprint(nested(depthMax)));
    for (const depth of [depthMax + 1, 30_000])
      expect(reasonOf(() => codec.encode(nested(depth)))).toContain(`${depthMax} levels (depthMax)`);
    // 33 bytes are the key's id, the nonce, the tag and what tells them apart.
    expect(reasonOf(() => encrypt(bytes, ring).encode(new Uint8Array(valueBytesMax)))).toContain(
      `it has ${valueBytesMax + 33} bytes, and ${valueBytesMax} (valueBytesMax) are the most`,
    );
    expect(reasonOf(() => encrypt(bytes, ring).decode(new Uint8Array(valueBytesMax + 1)))).toContain("(valueBytesMax)");
  });
});

describe("the fingerprint of an encrypted value", () => {
  const codec = encrypt(text, ring);

  test("CODEC-19 it is the same for equal values and unlike for others, and no hash that can be made without the key", () => {
    expect(codec.fingerprint(secret)).toBe(codec.fingerprint(secret));
    expect(codec.fingerprint(secret)).not.toBe(codec.fingerprint("another"));
    expect(codec.fingerprint(secret)).not.toBe(sha256Hex(secret));
    expect(codec.fingerprint(secret)).not.toBe(encrypt(text, { keys: { k1: k2 } }).fingerprint(secret));
    expect(codec.fingerprint(secret)).not.toBe(createHmac("sha256", k1).update(secret).digest("hex"));
    expect(codec.fingerprint(secret)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("CODEC-19 it is made with the current key, or with the one that the context names for its codec", () => {
    const rotated = encrypt(text, { keys: { k1, k2 }, current: "k2" });
    expect(codec.fingerprintKeys).toEqual([{ codecId: "aes-256-gcm(string)", current: "k1" }]);
    expect(rotated.fingerprint(secret)).not.toBe(codec.fingerprint(secret));
    const keyIdOf = (id: string): string | undefined => (id === rotated.id ? "k1" : undefined);
    expect(rotated.fingerprint(secret, { keyIdOf })).toBe(codec.fingerprint(secret));
    expect(rotated.fingerprint(secret, { keyIdOf: () => undefined })).toBe(rotated.fingerprint(secret));
  });

  test("CODEC-19 a key that the ring has lost is an error that names its id", () => {
    const error = refusal(() => codec.fingerprint(secret, { key: "pin", keyIdOf: () => "k0" }));
    expect(error.message).toContain('the value of key "pin": its fingerprint needs the key "k0"');
    expect(error.details).toMatchObject({ keyId: "k0", keyMissing: true });
  });

  test("CODEC-19 salts, codecs and versions part the fingerprints of equal values", () => {
    const made = (id: string, version: string) => encrypt(structured(type<string>(), { id, version }), ring);
    const fingerprints = [
      codec.fingerprint(secret),
      codec.fingerprint(secret, { salt: "run 1" }),
      codec.fingerprint(secret, { salt: "run 2" }),
      made("a", "1").fingerprint(secret),
      made("a", "2").fingerprint(secret),
      made("b", "1").fingerprint(secret),
    ];
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });

  test("CODEC-19 around bytes that differ for equal values it covers the inner fingerprint", () => {
    const twice = encrypt(encrypt(text, ring), { keys: { k2 } });
    expect(twice.decode(twice.encode(secret))).toBe(secret);
    expect(twice.fingerprint(secret)).toBe(twice.fingerprint(secret));
    const [k3, k4] = [randomBytes(32), randomBytes(32)];
    const inner = encrypt(text, { keys: { k1, k3 }, current: "k3" });
    const rotated = encrypt(inner, { keys: { k2, k4 }, current: "k4" });
    expect(rotated.fingerprintKeys).toEqual([
      { codecId: rotated.id, current: "k4" },
      { codecId: inner.id, current: "k3" },
    ]);
    const before = new Map(twice.fingerprintKeys?.map(({ codecId, current }) => [codecId, current]));
    expect(rotated.fingerprint(secret, { keyIdOf: (id) => before.get(id) })).toBe(twice.fingerprint(secret));
    const packed = encrypt(compress(text), ring);
    expect(packed.fingerprint(secret)).toBe(packed.fingerprint(secret));
  });
});

test("CODEC-11 an encrypting codec is registered like any other, and an automatic one can be encrypted too", () => {
  const pin = z.string().length(4);
  const codecs = createCodecs();
  codecs.register(encrypt(codecs.forType(pin, "pin"), ring));
  const pinKey = key("pin", pin);
  const codec = codecs.forType(pinKey.type, "pin");
  expect(codec.id).toMatch(/^aes-256-gcm\(zod:[0-9a-f]{64}\)$/);
  expect(codec.decode(codec.encode("1234"))).toBe("1234");
});
