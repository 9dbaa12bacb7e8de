import { headerKey } from "@pulse-ts/durable";
import type { NodeEntry } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { folded } from "../sample-run.ts";
import { mixedRun } from "./mixed-run.ts";

const saves = 60;

test("KIT-2 two processes agree on a run without talking: each revision is the fold of its changes", () => {
  const one = mixedRun("run", 7);
  const other = mixedRun("run", 7);
  let record = folded("run", one.changesTo(1));
  for (let revision = 2; revision <= saves; revision += 1) {
    record = folded("run", one.changesTo(revision), record);
    expect(one.at(revision)).toEqual(record);
  }
  expect(other.at(saves)).toEqual(record);
  // Also when it is asked for an earlier one.
  expect(one.at(3)).toEqual(other.at(3));
  expect(mixedRun("another", 7).at(saves)).not.toEqual(record);
});

test("KIT-2 its saves are short and long, put and delete, change the header, and hold small, empty and big values", () => {
  const run = mixedRun("run", 1);
  const changes = Array.from({ length: saves }, (_, at) => run.changesTo(at + 1));
  const sizes = changes.flat().flatMap((change) => {
    if (change.kind === "delete" || !change.key.startsWith("node/")) return [];
    // The entry under a node's key.
    return (change.entry as NodeEntry).outputs.map((value) => ("bytes" in value ? value.bytes.length : 0));
  });
  expect(Math.min(...changes.map(({ length }) => length))).toBeLessThanOrEqual(2);
  expect(Math.max(...changes.map(({ length }) => length))).toBeGreaterThan(20);
  expect(changes.flat().some(({ kind }) => kind === "delete")).toBe(true);
  expect(changes.slice(1).some((each) => each.some(({ key }) => key === headerKey))).toBe(true);
  expect(Math.min(...sizes)).toBe(0);
  expect(Math.max(...sizes)).toBeGreaterThan(16_384);
});
