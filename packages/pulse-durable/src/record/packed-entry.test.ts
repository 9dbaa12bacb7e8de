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
import { wholeStreams } from "../testing/whole-streams.ts";
import { decodeEntry, encodeEntry } from "./entry-json.ts";
import { attemptKey, headerKey, nodeKey, scopeKey } from "./entry-key.ts";
import { entriesOf } from "./fold.ts";
import type { NodeEntry, RecordEntry } from "./format.ts";
import { packEntry, unpackEntry } from "./packed-entry.ts";

const at = { runId: "run", where: "journal:3" };
const scope = idOf("0");
const key = nodeKey(scope, "price");
const node: NodeEntry = {
  nodeId: "price",
  attempt: idOf("a"),
  reason: "completed",
  outputs: [readyValue("quote", "12"), readyValue("empty", ""), skippedValue("note")],
};
const content = { digest: digestOf("12"), size: 2 };
const valueHead = {
  name: "quote",
  codec: "string",
  codecVersion: "1",
  state: "ready",
  digest: digestOf("12"),
} as const;

const roundTrip = (entryKey: string, entry: RecordEntry): RecordEntry =>
  unpackEntry(entryKey, packEntry(entryKey, entry), at);

test("REC-8 a packed node has its bytes beside its text, as they are", () => {
  const packed = packEntry(key, node);
  const [quote, empty] = node.outputs;
  expect(packed.bytes).toEqual([Uint8Array.from(Buffer.from("12")), new Uint8Array()]);
  expect(packed.bytes[0]).toBe(quote?.state === "ready" && "bytes" in quote ? quote.bytes : undefined);
  expect(empty?.state).toBe("ready");
  expect(JSON.parse(packed.text)).toEqual([
    "price",
    idOf("a"),
    "completed",
    [
      ["quote", valueHead.codec, valueHead.codecVersion, digestOf("12")],
      ["empty", valueHead.codec, valueHead.codecVersion, digestOf("")],
      ["note", valueHead.codec, valueHead.codecVersion],
    ],
  ]);
});

test("REC-8 REC-25 every kind of entry comes back equal, with or without a list that stands for it", () => {
  const odd: unknown = JSON.parse('{"__proto__":{"x":1},"a.b":"a\\u0000b","":[true,1.5],"t":"\\\\ud800"}');
  const stream = { name: "s", codec: "c", codecVersion: "1", state: "stream" } as const;
  const entries: readonly (readonly [string, RecordEntry])[] = [
    [headerKey, { ...sampleHeader({ keyIds: ["k"], failure: "\u{1F600}\u2028" }), later: odd }],
    [scopeKey(scope), rootScope],
    [attemptKey(idOf("a")), rootAttempt("price")],
    [attemptKey(idOf("a")), { ...rootAttempt("price"), nodeId: '"\u{1F600}\\ud800\n\u0000' }],
    [key, node],
    [key, { ...node, outputs: [] }],
    [key, { ...node, outputs: [{ ...valueHead, content }, readyValue("b", "x")] }],
    [key, { ...node, outputs: [{ ...valueHead, content: { ...content, size: 0 } }] }],
    [key, { ...node, outputs: [{ ...valueHead, content: { ...content, digest: digestOf("other") } }] }],
    [
      key,
      {
        ...node,
        outputs: [
          readyValue("b", "x"),
          { ...stream, stream: { sourceId: idOf("1"), attempt: idOf("a"), capacity: 1 } },
        ],
      },
    ],
    [headerKey, { ...sampleHeader(), later: [{ bytes: Uint8Array.of(0, 255) }, { bytes: new Uint8Array() }] }],
    ...entriesOf(wholeStreams).flatMap((change): [string, RecordEntry][] =>
      change.kind === "put" ? [[change.key, change.entry]] : [],
    ),
  ];
  for (const [entryKey, entry] of entries) {
    expect(roundTrip(entryKey, entry)).toStrictEqual(entry);
    expect(roundTrip(entryKey, entry)).toStrictEqual(decodeEntry(entryKey, JSON.parse(encodeEntry(entry)), at));
  }
});

test("REC-25 any texts and bytes of a node come back", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, text, fc.array(fc.tuple(text, fc.uint8Array({ maxLength: 200 }))), (nodeId, attempt, values) => {
      const outputs = values.map(([name, bytes]) => ({ ...valueHead, name, bytes }));
      const entry: NodeEntry = { nodeId, attempt, reason: "completed", outputs };
      expect(roundTrip(nodeKey(scope, "x"), entry)).toStrictEqual(entry);
    }),
    { seed: 5, numRuns: 100 },
  );
});

test("REC-15 REC-27 what cannot be written is refused as it is for whole entries, in every form", () => {
  const entries: readonly (readonly [string, unknown, string, string])[] = [
    [attemptKey(scope), { ...rootAttempt("a"), nodeId: "\uD800" }, "REC-15", ".nodeId has an unpaired surrogate"],
    [key, { ...node, outputs: [skippedValue("\uDC00")] }, "REC-15", ".outputs[0].name has an unpaired surrogate"],
    [key, { ...node, reason: undefined }, "REC-27", ".reason is undefined"],
    [key, { ...node, outputs: [{ ...valueHead, bytes: "text" }] }, "REC-27", ".outputs[0].bytes is no Uint8Array"],
    [key, { ...node, outputs: Array(1) }, "REC-27", ".outputs[0] is undefined"],
    [key, { ...node, outputs: [{ ...valueHead, content: { ...content, size: -0 } }] }, "REC-27", ".size is -0"],
    [attemptKey(scope), { ...rootAttempt("a"), limit: -0 }, "REC-27", ".limit is -0"],
    [attemptKey(scope), { ...rootAttempt("a"), limit: Number.NaN }, "REC-27", ".limit is NaN"],
    [attemptKey(scope), Object.assign(new Error("x"), rootAttempt("a")), "REC-27", "no plain object"],
    [headerKey, { ...sampleHeader(), later: new Date(0) }, "REC-27", ".later is no plain object"],
  ];
  for (const [entryKey, entry, rule, place] of entries) {
    // What a caller without types may give.
    const error = errorOf("PULSE_USAGE", () => packEntry(entryKey, entry as RecordEntry));
    expect(error.details.rule).toBe(rule);
    expect(error.message).toContain(place);
  }
});

test("REC-8 REC-18 a text that does not fit its bytes, or stands for no entry, is refused by its key", () => {
  const one = Uint8Array.of(1);
  const packed = packEntry(key, node);
  const output = `["q","c","1","${digestOf("12")}"]`;
  const entry = (outputs: string): string => `["n","a","completed",[${outputs}]]`;
  const refusals: readonly (readonly [string, string, readonly Uint8Array[], string])[] = [
    [key, packed.text, [one], "list is none"],
    [key, packed.text, [one, one, one], "list is none"],
    [key, entry(output), [], "list is none"],
    [key, entry('["q","c"]'), [], "list is none"],
    [key, entry("7"), [], "list is none"],
    [key, '["n","a","completed"]', [], "list is none"],
    [key, entry('["q",7,"1"]'), [], "outputs.0.codec is no text"],
    [key, entry('["q","c","1","d",-1]'), [], "outputs.0.content.size is no whole number"],
    [key, '["n","a","\\ud800",[]]', [], ".reason has an unpaired surrogate"],
    [key, "{", [], "no JSON text"],
    [key, "null", [], "is no object"],
    [attemptKey(scope), '["p","n","",1,1,"active"]', [one], "list is none"],
    [attemptKey(scope), '["p","n","",0,1,"active"]', [], "index is no whole number"],
    [scopeKey(scope), "[]", [], "list is none"],
    [`message/${scope}/1`, '{"bytes":0}', [], ".bytes is not the place"],
    [`message/${scope}/1`, '{"a":{"bytes":1},"b":{"bytes":0}}', [one, one], ".a.bytes is not the place"],
    [`message/${scope}/1`, '{"bytes":0}', [one, one], "takes 1 of 2"],
  ];
  for (const [entryKey, text, bytes, found] of refusals) {
    const { where } = errorOf("PULSE_CORRUPT", () => unpackEntry(entryKey, { text, bytes }, at)).details;
    expect(where).toContain(entryKey);
    expect(where).toContain(found);
  }
});

test("REC-16 REC-27 a header of a newer format is told first, and a key that no entry can have is refused", () => {
  const newer = { text: '{"format":3,"shape":"unknown","bytes":9}', bytes: [] };
  expect(errorOf("PULSE_NEWER_FORMAT", () => unpackEntry(headerKey, newer, at)).details.found).toBe(3);
  expect(errorOf("PULSE_CORRUPT", () => unpackEntry("nodes/x", newer, at)).details.where).toContain("nodes/x");
});
