import { mapOfKind, scopeKey } from "../record/entry-key.ts";
import type { EntryKind } from "../record/entry-key.ts";
import type { RecordEntry, RunRecord } from "../record/format.ts";
import { corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** The kinds of entries that only streams have. */
const streamKinds = ["stream", "message", "try", "managed"] as const satisfies readonly EntryKind[];

/** A record has what its format has, and no more: a format 1 with later fields was written by nobody (REC-28). */
export function formatProblems(record: RunRecord): readonly RecordProblem[] {
  return record.header.format === 1 ? laterFields(record) : missingFields(record);
}

function missingFields({ scopes }: RunRecord): readonly RecordProblem[] {
  return [...scopes]
    .filter(([, { bindings }]) => bindings === undefined)
    .map(([id]) => corrupt(scopeKey(id), "", "bindings is missing"));
}

function laterFields(record: RunRecord): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  for (const [id, { bindings }] of record.scopes) {
    if (bindings === true) problems.push(corrupt(scopeKey(id), "bindings", "is true, which format 1 does not have"));
  }
  for (const [ids, { outputs }] of record.nodes) {
    for (const { name, state } of outputs) {
      if (state !== "stream") continue;
      problems.push(
        corrupt(`node/${ids}`, `outputs ${JSON.stringify(name)}`, "is a stream, which format 1 does not have"),
      );
    }
  }
  for (const kind of streamKinds) {
    const map: ReadonlyMap<string, RecordEntry> = record[mapOfKind[kind]];
    for (const ids of map.keys())
      problems.push(corrupt(`${kind}/${ids}`, "", "is of a kind that format 1 does not have"));
  }
  return problems;
}
