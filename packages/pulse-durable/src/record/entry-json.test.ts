import fc from "fast-check";
import { expect, test } from "vitest";
import { errorOf } from "../testing/error-of.ts";
import {
  digestOf,
  idOf,
  readyValue,
  rootAttempt,
  rootScope,
  sampleHeader,
  skippedValue,
} from "../testing/sample-record.ts";
import { rowsOf, wholeStreams } from "../testing/whole-streams.ts";
import { decodeEntry, encodeEntry } from "./entry-json.ts";
import { attemptKey, managedKey, messageKey, nodeKey, scopeKey, streamKey, tryKey } from "./entry-key.ts";
import { entriesOf } from "./fold.ts";
import type { MessageEntry, NodeEntry, ReadyBytes, RecordEntry } from "./format.ts";

const at = { runId: "run", where: "journal line 3" };
const scope = idOf("0");
const roundTrip = (key: string, entry: RecordEntry): RecordEntry =>
  decodeEntry(key, JSON.parse(encodeEntry(entry)), at);

const node: NodeEntry = {
  nodeId: "price",
  attempt: idOf("a"),
  reason: "completed",
  outputs: [readyValue("quote", "12"), readyValue("empty", ""), skippedValue("note")],
};

test("REC-8 values come back as bytes, zero bytes and skipped ones included", () => {
  expect(roundTrip(nodeKey(scope, "price"), node)).toStrictEqual(node);
  expect(JSON.parse(encodeEntry(node)).outputs[0].bytes).toBe("MTI=");
});

test("REC-8 a ready value has bytes or content, and a skipped one neither bytes nor digest", () => {
  const written = JSON.parse(encodeEntry(node));
  const withOutput = (fields: object) => ({ ...written, outputs: [{ ...written.outputs[0], ...fields }] });
  const content = { digest: digestOf("12"), size: 2 };
  const refusals = [
    [withOutput({ content }), "outputs.0.bytes is no field of this entry"],
    [withOutput({ state: "skipped" }), "outputs.0.digest is no field of this entry"],
    [
      { ...written, outputs: [{ name: "quote", codec: "string", codecVersion: "1", state: "ready" }] },
      "digest is missing",
    ],
    [withOutput({ bytes: "MTI" }), ".outputs[0].bytes is no base64 text with padding"],
  ] as const;
  for (const [json, problem] of refusals) {
    const error = errorOf("PULSE_CORRUPT", () => decodeEntry(nodeKey(scope, "price"), json, at));
    expect(error.details.where).toContain(problem);
  }
  const { bytes: _, ...head } = written.outputs[0];
  expect(decodeEntry(nodeKey(scope, "price"), { ...written, outputs: [{ ...head, content }] }, at)).toMatchObject({
    outputs: [{ content }],
  });
});

test("V2 V5 V6 REC-25 every kind of entry comes back equal, with odd bytes, NUL and odd keys", () => {
  const odd = JSON.parse(
    '{"__proto__":{"x":1},"a.b":"a\\u0000b","constructor":null,"":[true,1.5],"toString":"\\\\ud800"}',
  );
  const header = { ...sampleHeader({ keyIds: ["k1"], failure: "\u{1F600}\u2028" }), later: odd };
  expect(roundTrip("header", header)).toStrictEqual(header);
  expect(roundTrip(scopeKey(scope), rootScope)).toStrictEqual(rootScope);
  expect(roundTrip(attemptKey(idOf("a")), rootAttempt("price"))).toStrictEqual(rootAttempt("price"));
  const nested = { ...sampleHeader(), later: [{ bytes: Uint8Array.of(0, 255, 128) }] };
  expect(roundTrip("header", nested)).toStrictEqual(nested);
  for (const change of entriesOf(wholeStreams)) {
    if (change.kind === "put") expect(roundTrip(change.key, change.entry)).toStrictEqual(change.entry);
  }
});

test("REC-25 any bytes come back, and share nothing with what was written", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2048 }), (bytes) => {
      const { value } = roundTrip(messageKey(scope, 1), { value: { ...readyValue("log", ""), bytes } }) as MessageEntry;
      const back = (value as ReadyBytes).bytes;
      expect(back).toStrictEqual(bytes);
      expect(back.buffer.byteLength).toBe(bytes.length);
    }),
    { seed: 7, numRuns: 100 },
  );
});

test("REC-15 an unpaired surrogate in a string or key is refused before writing, by its place", () => {
  const entries: readonly (readonly [RecordEntry, string])[] = [
    [sampleHeader({ failure: "a\uD800" }), ".failure has an unpaired surrogate"],
    [{ ...node, outputs: [skippedValue("\uDC00")] }, ".outputs[0].name has an unpaired surrogate"],
    [{ ...sampleHeader(), "\uD800\uD800": 1 }, "the entry has a key with an unpaired surrogate"],
  ];
  for (const [entry, place] of entries) {
    const error = errorOf("PULSE_USAGE", () => encodeEntry(entry));
    expect(error.details.rule).toBe("REC-15");
    expect(error.message).toContain(place);
  }
});

test("REC-15 an unpaired surrogate is refused when reading", () => {
  const json = JSON.parse(encodeEntry(sampleHeader()).replace('"version":"1"', '"version":"\\udc00"'));
  expect(errorOf("PULSE_CORRUPT", () => decodeEntry("header", json, at)).details).toMatchObject({
    runId: "run",
    next: "restore-backup",
    where: "journal line 3: header: .version has an unpaired surrogate",
  });
  const inKey = { ...sampleHeader(), "\uDC00": 1 };
  expect(errorOf("PULSE_CORRUPT", () => decodeEntry("header", inKey, at)).details.where).toContain("a key with");
});

test("REC-16 unknown header fields are kept, unknown fields elsewhere are refused", () => {
  const header = { ...sampleHeader(), tenant: { id: "t", tags: [1, null] } };
  expect(roundTrip("header", header)).toStrictEqual(header);
  const json = { ...rootScope, tenant: "t" };
  expect(errorOf("PULSE_CORRUPT", () => decodeEntry(scopeKey(scope), json, at)).details.where).toContain(
    "tenant is no field of this entry",
  );
});

test("REC-16 a newer format is refused before anything else is looked at", () => {
  const error = errorOf("PULSE_NEWER_FORMAT", () => decodeEntry("header", { format: 3, shape: "unknown" }, at));
  expect(error.details).toStrictEqual({ runId: "run", next: "newer-package", found: 3, supported: 2 });
});

test("REC-27 a key that no entry can have is refused", () => {
  for (const key of ["", "scope", "scope/a/b", "scope/%61", "scope/%zz", "scope/%ff", "node/a", "toString/a"]) {
    expect(errorOf("PULSE_CORRUPT", () => decodeEntry(key, {}, at)).details.where).toContain(JSON.stringify(key));
  }
});

test("REC-27 what JSON would change in silence is refused", () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const values = [undefined, Number.NaN, -0, 1n, () => 1, Symbol("s"), new Date(0), Array(2), Uint8Array.of(1), cyclic];
  for (const later of values) {
    const error = errorOf("PULSE_USAGE", () => encodeEntry({ ...sampleHeader(), later }));
    expect(error.details.rule).toBe("REC-27");
    expect(error.message).toMatch(/\.later/);
  }
  expect(errorOf("PULSE_USAGE", () => encodeEntry({ bytes: "text" })).message).toContain(".bytes is no Uint8Array");
});

test("REC-11 REC-12 REC-13 REC-31 entries of streams are refused by the field that is none of theirs", () => {
  const value = { ...readyValue("log", "one"), bytes: "b25l" };
  const skipped = skippedValue("log");
  const stream = JSON.parse(encodeEntry(rowsOf("g")));
  const refusals: readonly (readonly [string, object, string])[] = [
    [messageKey(scope, 1), { value: skipped }, "value is no ready value"],
    [messageKey(scope, 1), { value, sequence: 1 }, "sequence is no field of this entry"],
    [managedKey(scope, scope, "n"), { state: skipped, values: [] }, "state is no ready value"],
    [managedKey(scope, scope, "n"), { values: [{ ...value, digest: 1 }] }, "values.0.digest is no text"],
    [
      tryKey({ sourceId: scope, group: "g", sequence: 1, nodeId: "n", parent: scope }, 1),
      { limit: 0 },
      "state is missing",
    ],
    [streamKey(scope, "g"), { ...stream, pending: [2] }, "pending.0 is no run of sequences"],
    [streamKey(scope, "g"), { ...stream, end: "stopped" }, "end is none of open, completed, failed, canceled"],
  ];
  for (const [key, json, problem] of refusals) {
    expect(errorOf("PULSE_CORRUPT", () => decodeEntry(key, json, at)).details.where).toContain(`${key}: ${problem}`);
  }
});

test("REC-18 JSON of any shape is decoded or refused by key, and never anything else is thrown", () => {
  const place = { sourceId: scope, group: "g", sequence: 1, nodeId: "n", parent: scope };
  const ofStreams = [streamKey(scope, "g"), messageKey(scope, 1), tryKey(place, 1), managedKey(scope, scope, "n")];
  const keys = ["header", scopeKey(scope), nodeKey(scope, "n"), attemptKey(scope), ...ofStreams];
  fc.assert(
    fc.property(fc.constantFrom(...keys), fc.jsonValue({ noUnicodeString: false }), (key, json) => {
      expect(errorOf("PULSE_CORRUPT", () => decodeEntry(key, json, at)).details.where).toContain(key);
    }),
    { seed: 11, numRuns: 500 },
  );
});
