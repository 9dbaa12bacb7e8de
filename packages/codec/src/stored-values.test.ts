import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { firstDifference } from "./testing/first-difference.ts";
import { storedValues } from "./testing/stored-values.ts";

/** Bytes as they rest in stores; a record of such a value names codec and version, so they must stay readable. */
interface Stored {
  readonly id: string;
  readonly version: string;
  readonly bytes: string;
  readonly fingerprint: string;
}

const stored = JSON.parse(readFileSync(new URL("../fixtures/stored-1.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Stored>
>;

test("CODEC-1 CODEC-3 every built-in codec has bytes that were stored before", () => {
  const missing = Object.entries(storedValues).flatMap(([name, { codec, value }]) => {
    if (Object.hasOwn(stored, name)) return [];
    const bytes = Buffer.from(codec.encode(value)).toString("base64");
    return [{ [name]: { id: codec.id, version: codec.version, bytes, fingerprint: codec.fingerprint(value) } }];
  });
  // What is missing is printed as it is to be added to the fixtures.
  expect(missing).toEqual([]);
  expect(Object.keys(stored)).toEqual(Object.keys(storedValues));
});

for (const [name, { id, version, bytes, fingerprint }] of Object.entries(stored)) {
  test(`CODEC-1 CODEC-5 CODEC-11 CODEC-19 stored before: ${name} has the same codec, value and fingerprint`, () => {
    const known = storedValues[name];
    if (known === undefined) throw new Error(`no codec is known for "${name}"`);
    const { codec, value, varies = false } = known;
    expect([codec.id, codec.version]).toEqual([id, version]);
    expect(firstDifference(codec.decode(new Uint8Array(Buffer.from(bytes, "base64"))), value)).toBeUndefined();
    expect(codec.fingerprint(value)).toBe(fingerprint);
    if (!varies) expect(Buffer.from(codec.encode(value)).toString("base64")).toBe(bytes);
  });
}
