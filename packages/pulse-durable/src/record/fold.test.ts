import { expect, test } from "vitest";
import { errorOf } from "../testing/error-of.ts";
import { idOf, rootAttempt, sampleHeader, sampleRecord } from "../testing/sample-record.ts";
import { attemptKey, headerKey } from "./entry-key.ts";
import { entriesOf, recordBuilder } from "./fold.ts";

const a = idOf("a");

test("REC-25 folding the entries of a record gives an equal one, the header first", () => {
  const record = sampleRecord({ attempts: { [a]: rootAttempt("price") } });
  const entries = entriesOf(record);
  expect(entries[0]?.key).toBe(headerKey);
  const builder = recordBuilder("run");
  for (const change of entries) builder.apply(change);
  expect(builder.view()).toStrictEqual(record);
});

test("REC-25 folding onto a record leaves that one as it was, and takes the revision of the save", () => {
  const record = sampleRecord({ attempts: { [a]: rootAttempt("price") } });
  const builder = recordBuilder("run", record);
  builder.apply({ kind: "delete", key: attemptKey(a) });
  expect(builder.view(7)).toStrictEqual(sampleRecord({ header: { revision: 7 } }));
  expect(record.attempts.size).toBe(1);
});

test("REC-27 a record without a header, a deleted header and an impossible key are corrupt", () => {
  const builder = recordBuilder("run");
  expect(errorOf("PULSE_CORRUPT", () => builder.view()).details).toMatchObject({
    runId: "run",
    next: "restore-backup",
  });
  const wrong = [
    { kind: "delete", key: headerKey },
    { kind: "put", key: "other/x", entry: sampleHeader() },
  ] as const;
  for (const change of wrong) {
    expect(errorOf("PULSE_CORRUPT", () => builder.apply(change)).details.where).toMatch(/header|other\/x/);
  }
});
