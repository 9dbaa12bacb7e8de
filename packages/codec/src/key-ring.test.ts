import { createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { createCodecs, encrypt, keyRing, numberType, type Codec, type KeyRingOptions } from "./index.ts";
import { reasonOf } from "./testing/refusal.ts";

const bytes = randomBytes(32);
const number = createCodecs().forType(numberType, "count") as Codec<number>;

test("CODEC-11 a key is given as bytes, as base64 of either alphabet, or as a KeyObject, and is the same key", () => {
  const base64 = bytes.toString("base64");
  const sources = [
    bytes,
    new Uint8Array(bytes),
    base64,
    base64.replace(/=+$/, ""),
    bytes.toString("base64url"),
    createSecretKey(bytes),
  ];
  const encrypted = encrypt(number, { keys: { k1: bytes } }).encode(7);
  for (const k1 of sources) expect(encrypt(number, { keys: { k1 } }).decode(encrypted)).toBe(7);
});

test("CODEC-11 a key of another length is refused with both figures, and never shown", () => {
  const wrong = {
    "31 bytes": bytes.subarray(1),
    "0 bytes": new Uint8Array(),
    "48 bytes": bytes.toString("hex"),
    "16 bytes": createSecretKey(bytes.subarray(0, 16)),
  };
  for (const [found, k1] of Object.entries(wrong)) {
    const reason = reasonOf(() => keyRing({ keys: { k1 } }));
    expect(reason).toContain(`the key "k1" has ${found}, and AES-256 takes 32`);
    if (typeof k1 === "string") expect(reason).not.toContain(k1);
  }
});

test("CODEC-11 what is no key is refused by its id, and never shown", () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const mistyped = `${bytes.toString("base64").slice(0, -2)}!=`;
  const wrong = { publicKey, mistyped, number: 7 as unknown as string, nothing: undefined as unknown as string };
  for (const [id, source] of Object.entries(wrong)) {
    const reason = reasonOf(() => keyRing({ keys: { [id]: source } }));
    expect(reason).toContain(`the key "${id}"`);
    expect(reason).not.toContain(bytes.toString("base64").slice(0, 20));
  }
});

test("CODEC-11 ids are checked, and one that is none is not shown: it may be the key", () => {
  const bad = ["", "a b", "k\n", "ключ", "x".repeat(65), `${bytes.toString("base64")}${bytes.toString("base64")}`];
  for (const id of bad) {
    const reason = reasonOf(() => keyRing({ keys: { [id]: bytes } }));
    expect(reason).toContain("the id of a key");
    if (id.length > 3) expect(reason).not.toContain(id);
  }
  for (const id of ["2026-01", "k.1", "arn:aws:kms:eu/key", "a@b+c_d", "x".repeat(64)])
    expect(keyRing({ keys: { [id]: bytes } }).ids).toEqual([id]);
});

test("CODEC-11 the current key is the only one, or is said", () => {
  expect(keyRing({ keys: { k1: bytes } }).current).toBe("k1");
  expect(keyRing({ keys: { k1: bytes, k2: bytes }, current: "k2" }).current).toBe("k2");
  expect(reasonOf(() => keyRing({ keys: { k1: bytes, k2: bytes } }))).toContain("say which is current");
  for (const current of ["k3", "toString", 1 as unknown as string])
    expect(reasonOf(() => keyRing({ keys: { k1: bytes }, current }))).toContain("none of its keys");
  expect(reasonOf(() => keyRing({ keys: {} }))).toContain("has no key");
  for (const options of [undefined, null, 1, bytes, { keys: bytes }, { keys: "k1" }])
    expect(reasonOf(() => encrypt(number, options as unknown as KeyRingOptions))).toContain("give its keys by id");
});

test("CODEC-11 overwriting the bytes that were given changes nothing", () => {
  const given = randomBytes(32);
  const ring = keyRing({ keys: { k1: given } });
  const other = encrypt(number, { keys: { k1: new Uint8Array(given) } });
  given.fill(0);
  expect(other.decode(encrypt(number, ring).encode(7))).toBe(7);
});

test("CODEC-11 neither ring nor codec shows a key when it is inspected, printed or turned into JSON", () => {
  const ring = keyRing({ keys: { k1: bytes, k2: randomBytes(32) }, current: "k1" });
  const codec = encrypt(number, ring);
  for (const shown of [ring, codec, { ring, codec }]) {
    const texts = [
      inspect(shown, { depth: Infinity, showHidden: true, getters: true }),
      JSON.stringify(shown),
      inspect(Object.getOwnPropertyDescriptors(shown), { depth: Infinity, showHidden: true }),
    ];
    for (const text of texts) {
      for (const encoding of ["hex", "base64", "base64url", "latin1"] as const)
        expect(text).not.toContain(bytes.toString(encoding));
      expect(text).not.toContain([...bytes].join(", ").slice(0, 30));
    }
  }
  expect(JSON.parse(JSON.stringify(ring))).toEqual({ ids: ["k1", "k2"], current: "k1" });
});
