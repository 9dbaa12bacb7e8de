import fc from "fast-check";
import { expect, test } from "vitest";
import { idOf, readyValue, rootAttempt, sampleHeader, sampleRecord } from "../testing/sample-record.ts";
import { attemptKey, headerKey, mapOfKind, nodeKey } from "./entry-key.ts";
import { entriesOf, recordBuilder } from "./fold.ts";
import type { NodeEntry, RecordChange, RecordChanges, RunRecord } from "./format.ts";
import { liveRecord } from "./live-record.ts";

const attempt = (letter: string): RecordChange => ({
  kind: "put",
  key: attemptKey(idOf(letter)),
  entry: rootAttempt(letter),
});
const sorted = (changes: RecordChanges): RecordChanges =>
  changes.toSorted((one, other) => (one.key < other.key ? -1 : 1));
const folded = (record: RunRecord, changes: RecordChanges): RunRecord => {
  const builder = recordBuilder(record.header.runId, record);
  for (const change of changes) builder.apply(change);
  return builder.view(record.header.revision + 1);
};
const node = (letter: string): NodeEntry => ({
  nodeId: letter,
  attempt: idOf(letter),
  reason: "completed",
  outputs: [readyValue("out", letter)],
});
/** Apart from everything that changes later. */
const snapshot = (record: RunRecord): RecordChanges => sorted(structuredClone(entriesOf(record)));

test("DUR-2 what is confirmed moves only when the save is confirmed", () => {
  const live = liveRecord(sampleRecord());
  const before = snapshot(live.confirmed.record);
  const draft = live.draft();
  draft.add([attempt("a")]);
  expect(snapshot(live.confirmed.record)).toStrictEqual(before);
  expect(draft.view.record.attempts.get(idOf("a"))).toStrictEqual(rootAttempt("a"));
  const proposed = snapshot(draft.record);
  draft.confirm();
  expect(snapshot(live.confirmed.record)).toStrictEqual(proposed);
  expect(live.confirmed.record.header.revision).toBe(2);
});

test("DUR-2 an abandoned save leaves what is confirmed, and its index, as it was", () => {
  const live = liveRecord(sampleRecord({ attempts: { [idOf("a")]: rootAttempt("a") } }));
  live.pend(idOf("b"), rootAttempt("b"));
  const before = snapshot(live.confirmed.record);
  const draft = live.draft();
  const failed = { ...rootAttempt("a"), state: "failed" as const };
  draft.add([{ kind: "put", key: attemptKey(idOf("a")), entry: failed }, attempt("b"), attempt("c")]);
  draft.abandon();
  expect(snapshot(live.confirmed.record)).toStrictEqual(before);
  const { index, pending } = live.confirmed;
  expect([...index.failedIn(idOf("0"))]).toStrictEqual([]);
  expect(["a", "b", "c"].map((node) => index.attemptsAt(idOf("0"), node, ""))).toStrictEqual([
    [idOf("a")],
    [idOf("b")],
    [],
  ]);
  expect([...pending.keys()]).toStrictEqual([idOf("b")]);
});

test("DUR-10 a pending attempt is kept until a save took it along", () => {
  const live = liveRecord(sampleRecord());
  live.pend(idOf("a"), rootAttempt("a"));
  const draft = live.draft();
  draft.add([attempt("a")]);
  expect(live.confirmed.pending.has(idOf("a"))).toBe(true);
  draft.confirm();
  expect(live.confirmed.pending.size).toBe(0);
});

test("REC-31 each key is in a save's changes once, with its last entry, and one that came and went is not", () => {
  const live = liveRecord(sampleRecord({ attempts: { [idOf("d")]: rootAttempt("d") } }));
  const draft = live.draft();
  const confirmed = rootAttempt("a", { state: "confirmed" });
  draft.add([attempt("a"), attempt("b"), { kind: "put", key: attemptKey(idOf("a")), entry: confirmed }]);
  draft.add([
    { kind: "delete", key: attemptKey(idOf("b")) },
    { kind: "delete", key: attemptKey(idOf("d")) },
  ]);
  expect(draft.changes()).toStrictEqual([
    { kind: "put", key: attemptKey(idOf("a")), entry: confirmed },
    { kind: "delete", key: attemptKey(idOf("d")) },
  ]);
});

test("REC-24 the header is in a save's changes only when more than its revision changed", () => {
  const live = liveRecord(sampleRecord());
  const draft = live.draft();
  draft.add([attempt("a")]);
  expect(draft.record.header.revision).toBe(2);
  expect(draft.changes()).toHaveLength(1);
  draft.add([{ kind: "put", key: headerKey, entry: sampleHeader({ status: "failed" }) }]);
  expect(draft.changes()[0]).toStrictEqual({
    kind: "put",
    key: headerKey,
    entry: sampleHeader({ status: "failed", revision: 2 }),
  });
});

test("DUR-2 a second save before the first has ended is refused", () => {
  const live = liveRecord(sampleRecord());
  live.draft();
  expect(() => live.draft()).toThrow("one save at a time");
});

test("STORE-3 the record that a store is handed is of plain maps, so a structured clone holds all of it", () => {
  const live = liveRecord(sampleRecord());
  const draft = live.draft();
  draft.add([attempt("a")]);
  const clone = structuredClone(draft.record) as RunRecord;
  expect(snapshot(clone)).toStrictEqual(snapshot(draft.record));
  expect(clone.attempts.size).toBe(1);
});

test("REC-25 after any saves and any abandoned ones the record equals the fold of what was confirmed", () => {
  const letters = fc.constantFrom(..."abcdef");
  const change = fc.oneof(
    letters.map(attempt),
    letters.map((letter): RecordChange => ({ kind: "delete", key: attemptKey(idOf(letter)) })),
    letters.map((letter): RecordChange => ({ kind: "put", key: nodeKey(idOf("0"), letter), entry: node(letter) })),
  );
  const save = fc.record({ changes: fc.array(change, { maxLength: 8 }), kept: fc.boolean() });
  fc.assert(
    fc.property(fc.array(save, { maxLength: 6 }), (saves) => {
      let model = sampleRecord();
      const live = liveRecord(sampleRecord());
      for (const { changes, kept } of saves) {
        const draft = live.draft();
        for (const each of changes) draft.add([each]);
        const next = folded(model, draft.changes());
        expect(snapshot(draft.record)).toStrictEqual(snapshot(next));
        expect(snapshot(live.confirmed.record)).toStrictEqual(snapshot(model));
        for (const name of Object.values(mapOfKind)) expect(live.confirmed.record[name].size).toBe(model[name].size);
        if (kept) model = next;
        if (kept) draft.confirm();
        else draft.abandon();
        expect(snapshot(live.confirmed.record)).toStrictEqual(snapshot(model));
        expect([...live.confirmed.index.nodesIn(idOf("0"))].toSorted()).toStrictEqual(
          [...model.nodes.keys()].toSorted(),
        );
      }
    }),
    { seed: 3, numRuns: 200 },
  );
});
