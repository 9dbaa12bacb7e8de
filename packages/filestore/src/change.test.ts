import { attemptKey, headerKey, nodeKey } from "@pulse-ts/durable";
import type { NodeEntry, RecordChange } from "@pulse-ts/durable";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changesIn, entryOf, writeChange } from "./change.ts";
import { line, readLine } from "./line.ts";
import { errorOf } from "./testing/error-of.ts";

const at = { runId: "order", where: "journal:2" };
const scope = "0".repeat(32);

const nodeWith = (nodeId: string, values: readonly Uint8Array[]): RecordChange => {
  const head = { codec: "bytes", codecVersion: "1", state: "ready", digest: "d" } as const;
  const outputs = values.map((bytes, number) => ({ name: `value ${number}`, ...head, bytes }));
  const entry: NodeEntry = { nodeId, attempt: scope, reason: "completed", outputs };
  return { kind: "put", key: nodeKey(scope, nodeId), entry };
};

/** The changes as they are read back from a line, which is one line whatever is in it. */
function throughLine(changes: readonly RecordChange[]): { readonly back: readonly RecordChange[]; weights: number[] } {
  const pieces: (string | Uint8Array)[] = ["save 1"];
  const weights = changes.map((change) => writeChange("order", change, pieces));
  const bytes = line(pieces);
  expect(bytes.indexOf("\n")).toBe(bytes.length - 1);
  expect(bytes.includes(0)).toBe(false);
  const found = readLine(bytes.subarray(0, -1));
  if (found === undefined) throw new Error("the line is not read");
  const stored = changesIn({ count: changes.length, bytes: found.rest }) ?? [];
  expect(stored.map(({ kind, from, end }) => (kind === "delete" ? 0 : end - from))).toEqual(weights);
  const back = stored.map((change): RecordChange => {
    const { kind, key } = change;
    return kind === "delete" ? { kind, key } : { kind, key, entry: entryOf(change, at) };
  });
  return { back, weights };
}

test("KIT-5 REC-25 any nodes with any bytes come back from one line, and each weighs what it takes there", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ maxLength: 300, max: 0x1f }),
    fc.constantFrom(new Uint8Array(), new Uint8Array(50), Uint8Array.from(Buffer.from("=a\t~b\n!"))),
  );
  const change = fc
    .tuple(fc.string({ unit: "binary" }), fc.array(bytes, { maxLength: 3 }))
    .map(([nodeId, values]) => nodeWith(nodeId, values));
  const deletion = fc.constant<RecordChange>({ kind: "delete", key: attemptKey(scope) });
  fc.assert(
    fc.property(fc.array(fc.oneof(change, deletion), { maxLength: 6 }), (changes) => {
      expect(throughLine(changes).back).toStrictEqual(changes);
    }),
    { seed: 4, numRuns: 150 },
  );
});

test("REC-27 a key that no entry can have is refused before anything is written", () => {
  for (const key of ["", "node/a b", "node/a\tb", "node/a\nb", "node/\u00e9", "Node/a", "=", "~"]) {
    const pieces: (string | Uint8Array)[] = [];
    const error = errorOf("PULSE_USAGE", () => writeChange("order", { kind: "delete", key }, pieces));
    expect(error.details.rule).toBe("REC-27");
    expect(pieces).toEqual([]);
  }
});

test("FILE-2 changes that are not as many as the line says, or are none, are refused", () => {
  const read = (text: string, count = 1) => changesIn({ count, bytes: Buffer.from(text) });
  expect(read("\tattempt/a")?.map(({ key }) => key)).toEqual(["attempt/a"]);
  for (const text of [
    "",
    "\t",
    "\t\t",
    "\t=a",
    "\tattempt/a\tattempt/b",
    "\tatt\u00e9mpt/a",
    "\tA {}",
    `\t${headerKey}`,
  ]) {
    expect(read(text)).toBe(undefined);
  }
  expect(read("", 0)).toEqual([]);
});

test("FILE-2 REC-15 an entry whose text or bytes are not written as they are is refused by its key", () => {
  const refusals: readonly (readonly [Buffer, string])[] = [
    [Buffer.from('\tattempt/a ["\u00e9"]', "latin1"), "no UTF-8"],
    [Buffer.from("\tattempt/a [1"), "no JSON text"],
    [Buffer.from('\tmessage/a/1 {"bytes":0}\t!\u001bx'), "not written as bytes are"],
    [Buffer.from('\tmessage/a/1 {"bytes":0}\t~YQ'), "not written as bytes are"],
    [Buffer.from('\tmessage/a/1 {"bytes":0}'), ".bytes is not the place"],
    [Buffer.from("\tmessage/a/1 {}\t=a"), "takes 0 of 1"],
  ];
  for (const [bytes, found] of refusals) {
    const [change] = changesIn({ count: 1, bytes }) ?? [];
    if (change === undefined) throw new Error("the change is not read");
    const { details } = errorOf("PULSE_CORRUPT", () => entryOf(change, at));
    expect(details.where).toContain(`journal:2: ${change.key}`);
    expect(errorOf("PULSE_CORRUPT", () => entryOf(change, at)).message).toContain(found);
  }
});
