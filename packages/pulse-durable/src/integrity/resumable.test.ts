import { expect, test } from "vitest";
import { attemptKey, headerKey, streamKey } from "../record/entry-key.ts";
import type { RecordChange, RunRecord } from "../record/format.ts";
import { errorOf } from "../testing/error-of.ts";
import { digestOf } from "../testing/sample-record.ts";
import { unresumableDefinition } from "../testing/stream-definition.ts";
import { again2, logId, readRoot, rowsId, setIn, wholeStreams } from "../testing/whole-streams.ts";
import { checkRecord } from "./check.ts";

const call = { runId: "run", version: "1", definition: digestOf("definition"), inputs: digestOf("inputs") };
const log = streamKey(logId, "tail");
const rowsGroups = ["handle", "shared/1", "host"].map((group) => streamKey(rowsId, group));

const unresumable = (...changes: readonly RecordChange[]): RunRecord => {
  const entries = [...wholeStreams.streams].map(([ids, entry]) => [ids, { ...entry, resumable: false }] as const);
  return changesOf({ ...wholeStreams, streams: new Map(entries) }, changes);
};
function changesOf(record: RunRecord, changes: readonly RecordChange[]): RunRecord {
  const maps = { attempts: new Map(record.attempts), streams: new Map(record.streams) };
  let { header } = record;
  for (const change of changes) {
    if (change.kind !== "put") continue;
    const { key, entry } = change;
    if (key === headerKey) header = entry as RunRecord["header"];
    else if (key.startsWith("attempt/")) maps.attempts.set(key.slice(8), entry as never);
    else maps.streams.set(key.slice(7), { ...entry, resumable: false } as never);
  }
  return { ...record, header, ...maps };
}

test("STR-48 an open stream whose writer cannot continue refuses the resume, and says what to declare", () => {
  const error = errorOf("PULSE_INCOMPATIBLE", () => checkRecord(unresumable(), unresumableDefinition, call));
  expect(error.details).toMatchObject({ next: "new-run-id", what: "stream", key: "rows", path: "read" });
  expect(error.message).toContain("resumable: true");
  expect(error.message).toContain("this run cannot be continued");
});

test("STR-48 CKPT-22 completed, failed and void streams ask for nothing to be declared", () => {
  const failed = [...rowsGroups, log].map((key) => setIn(key, { end: "failed" }));
  // The root will fail before the start, and with it the run.
  expect(() => checkRecord(unresumable(...failed), unresumableDefinition, call)).not.toThrow();
  const inChild = setIn(attemptKey(readRoot), { state: "failed" });
  const over = [inChild, ...failed, setIn(headerKey, { status: "failed" })];
  expect(() => checkRecord(unresumable(...over), unresumableDefinition, call)).not.toThrow();
  const { details } = errorOf("PULSE_INCOMPATIBLE", () =>
    checkRecord(withoutRoot(unresumable()), unresumableDefinition, call),
  );
  // Of the two tries of the mount only the one that is not void.
  expect(details).toMatchObject({ key: "items", scope: again2, path: "again/gen" });
});

/** Without the streams of `read`: only those inside the retried mount are open. */
function withoutRoot(record: RunRecord): RunRecord {
  const streams = new Map([...record.streams].filter(([, { nodeId }]) => nodeId !== "read"));
  const messages = new Map([...record.messages].filter(([ids]) => !ids.startsWith(rowsId)));
  return { ...record, streams, messages, tries: new Map(), managed: new Map() };
}
