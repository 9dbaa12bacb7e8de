import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { encodedValues } from "./encoded-values.ts";

/** What `@pulse-ts/codec` proves of its own codecs; that its bytes are those is for its own tests to say. */
const stored = JSON.parse(
  readFileSync(new URL("../../../codec/fixtures/stored-1.json", import.meta.url), "utf8"),
) as Readonly<Record<string, { readonly id: string; readonly version: string; readonly bytes: string }>>;

test("KIT-5 CODEC-6 the encoded values of the kit are the bytes that the codecs write", () => {
  const wanted = Object.entries(stored).map(([name, { id, version, bytes }]) => ({
    name,
    codec: id,
    codecVersion: version,
    bytes,
  }));
  expect(wanted.length).toBeGreaterThan(20);
  expect(encodedValues).toEqual(wanted);
});
