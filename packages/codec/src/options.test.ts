import { randomBytes } from "node:crypto";
import { type } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { compress, createCodecs, encrypt, json, keyRing, numberType, structured } from "./index.ts";
import { reasonOf } from "./testing/refusal.ts";

const number = createCodecs().forType(numberType, "number");
const keys = { k1: randomBytes(32) };

/** Calls as a program without types does. */
const untyped = (call: (...values: never[]) => unknown, ...values: readonly unknown[]): unknown =>
  (call as (...values: readonly unknown[]) => unknown)(...values);

test("CODEC-11 an option of compress(), encrypt() or a key ring that nobody knows is refused by its name, and no key is shown", () => {
  expect(reasonOf(() => untyped(compress, number, { byteMin: 3 }))).toBe(
    'compress(): "byteMin" is no option; there are level, bytesMin',
  );
  expect(reasonOf(() => untyped(compress, number, null))).toContain("its options are no object");
  for (const make of [
    () => untyped(keyRing, { keys, curent: "k1" }),
    () => untyped(encrypt, number, { keys, curent: "k1" }),
  ]) {
    expect(reasonOf(make)).toBe('the key ring is not right: "curent" is no option; there are keys, current');
  }
  expect(encrypt(number, keyRing({ keys, current: "k1" })).id).toBe("aes-256-gcm(number)");
});

test("CODEC-2 an option of json() or structured() that nobody knows is refused by its name", () => {
  expect(reasonOf(() => untyped(json, z.string(), { id: "text", version: "1", verson: "2" }))).toBe(
    'json(): "verson" is no option; there are id, version',
  );
  expect(reasonOf(() => untyped(json, z.string()))).toContain("its options are no object");
  expect(reasonOf(() => untyped(structured, type("cache"), { ID: "cache" }))).toBe(
    'structured(): "ID" is no option; there are id, version',
  );
});
