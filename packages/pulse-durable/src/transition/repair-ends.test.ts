import { expect, test } from "vitest";
import { checkRecord } from "../integrity/check.ts";
import { attemptKey, headerKey, streamKey } from "../record/entry-key.ts";
import { recordBuilder } from "../record/fold.ts";
import type { RecordChange, RunRecord } from "../record/format.ts";
import { digestOf } from "../testing/sample-record.ts";
import { streamDefinition } from "../testing/stream-definition.ts";
import {
  again1,
  again2,
  boxRoot,
  changedStreams,
  gen1,
  gen2,
  innerId,
  items1,
  items2,
  logId,
  makeRoot,
  readRoot,
  rowsId,
  setIn,
  wholeStreams,
} from "../testing/whole-streams.ts";
import { gone } from "../testing/whole-record.ts";
import { repairEnds } from "./repair-ends.ts";

const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };
const rows = ["handle", "shared/1", "host"].map((group) => streamKey(rowsId, group));
const log = streamKey(logId, "tail");
const failed = (...keys: readonly string[]): readonly RecordChange[] =>
  keys.map((key) => setIn(key, { end: "failed" }));

function applied(record: RunRecord, changes: readonly RecordChange[]): RunRecord {
  const builder = recordBuilder("run", record);
  for (const change of changes) builder.apply(change);
  return builder.view();
}

test("STR-26 the other ends of a root with failed ends fail with that root and, in the root scope, with the run", () => {
  const record = changedStreams(...failed(...rows));
  const { changes, result } = repairEnds({ record });
  expect(result).toStrictEqual({ roots: [readRoot], runFailed: true });
  // No budget, generation or field is added (STR-50): only these three words change.
  expect(changes).toStrictEqual([
    setIn(log, { end: "failed" }),
    setIn(attemptKey(readRoot), { state: "failed" }),
    setIn(headerKey, { status: "failed" }),
  ]);
  const repaired = applied(record, changes);
  expect(() => checkRecord(repaired, streamDefinition, call)).not.toThrow();
  expect(repairEnds({ record: repaired }).changes).toStrictEqual([]);
});

test("STR-26 a root whose ends have all failed fails too, in a child scope without deciding the run", () => {
  const record = changedStreams(...failed(streamKey(items2, "again/eat")));
  const { changes, result } = repairEnds({ record });
  expect(result).toStrictEqual({ roots: [gen2], runFailed: false });
  expect(changes).toStrictEqual([setIn(attemptKey(gen2), { state: "failed" })]);
  expect(() => checkRecord(applied(record, changes), streamDefinition, call)).not.toThrow();
});

test("STR-50 nothing is repaired under a failed ancestor, nor under a confirmed one", () => {
  const isVoid = changedStreams(...failed(streamKey(items1, "again/eat")));
  expect(isVoid.attempts.get(again1)?.state).toBe("failed");
  expect(isVoid.attempts.get(gen1)?.state).toBe("active");
  expect(repairEnds({ record: isVoid }).changes).toStrictEqual([]);
  const underConfirmed = changedStreams(
    ...failed(streamKey(innerId, "box/use"), streamKey(innerId, "last")),
    setIn(attemptKey(makeRoot), { state: "active" }),
    gone(`node/${boxRoot}/make`),
  );
  expect(underConfirmed.attempts.get(boxRoot)?.state).toBe("confirmed");
  expect(repairEnds({ record: underConfirmed }).changes).toStrictEqual([]);
});

test("STR-25 STR-26 a record without failed ends, or whose roots have failed already, needs no repair", () => {
  expect(repairEnds({ record: wholeStreams }).changes).toStrictEqual([]);
  const done = changedStreams(...failed(streamKey(items2, "again/eat")), setIn(attemptKey(gen2), { state: "failed" }));
  expect(done.attempts.get(again2)?.state).toBe("active");
  expect(repairEnds({ record: done })).toStrictEqual({ changes: [], result: { roots: [], runFailed: false } });
});
