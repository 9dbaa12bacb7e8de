import { expect, test } from "vitest";
import { errorOf } from "../testing/error-of.ts";
import { sampleRecord } from "../testing/sample-record.ts";
import { whole } from "../testing/whole-record.ts";
import { catalogRunOf, recordOfText, recordText } from "./record-text.ts";

const at = { runId: "run", where: "the key run" };

test("STORE-3 REC-27 a record comes back from its text equal and shared with nobody", () => {
  const text = recordText(whole);
  const read = recordOfText(text, at);
  expect(read).toStrictEqual(whole);
  expect(recordText(read)).toBe(text);
  expect(read.header).not.toBe(whole.header);
});

test("REC-9 a text that was damaged anywhere is refused with its place", () => {
  const text = recordText(sampleRecord());
  for (let place = 0; place < text.length; place += 1) {
    const damaged = `${text.slice(0, place)}${text[place] === "x" ? "y" : "x"}${text.slice(place + 1)}`;
    expect(errorOf("PULSE_CORRUPT", () => recordOfText(damaged, at)).details.where).toBe("the key run");
  }
  for (const cut of ["", "\n", text.slice(0, -1), text.slice(0, 64), text.slice(65)]) {
    expect(errorOf("PULSE_CORRUPT", () => recordOfText(cut, at)).details.where).toBe("the key run");
  }
});

test("STORE-9 a record of a newer format is refused as that", () => {
  const text = recordText(sampleRecord({ header: { format: 99 } }));
  expect(errorOf("PULSE_NEWER_FORMAT", () => recordOfText(text, at)).details.next).toBe("newer-package");
});

test("REC-15 what no text can hold is refused when it is written", () => {
  const record = sampleRecord({ header: { failure: "\uD800" } });
  expect(errorOf("PULSE_USAGE", () => recordText(record)).details.rule).toBe("REC-15");
});

test("STORE-7 a catalogue's line is the header's", () => {
  const { header } = sampleRecord({ header: { status: "failed", resumes: 2, revision: 9, later: "not this" } });
  expect(catalogRunOf(header)).toEqual({ runId: "run", status: "failed", revision: 9, version: "1", resumes: 2 });
});
