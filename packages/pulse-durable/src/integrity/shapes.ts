import { headerKey, mapOfKind, parseIds } from "../record/entry-key.ts";
import type { EntryKind } from "../record/entry-key.ts";
import type { RecordEntry, RunRecord } from "../record/format.ts";
import { illFormedPlace } from "../record/plain.ts";
import { shapeProblem } from "../record/shape.ts";
import { addAll, corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/**
 * Every entry has the fields of its kind, a key that names it, and well-formed strings (REC-8, REC-15, REC-27). A store
 * that decodes has checked this; a custom one may not have. The other checks rely on it.
 */
export function shapeProblems(record: RunRecord): readonly RecordProblem[] {
  const problems = entryProblems(headerKey, headerKey, record.header);
  for (const kind of Object.keys(mapOfKind) as EntryKind[]) {
    const map: ReadonlyMap<string, RecordEntry> = record[mapOfKind[kind]];
    if (!isMap(map)) {
      problems.push(corrupt(mapOfKind[kind], "", "is no map of entries"));
      continue;
    }
    for (const [ids, entry] of map) {
      const key = `${kind}/${ids}`;
      if (typeof ids !== "string" || parseIds(kind, ids) === undefined)
        problems.push(corrupt(key, "", "no entry can have this key"));
      else addAll(problems, entryProblems(kind, key, entry));
    }
  }
  return problems;
}

function entryProblems(kind: EntryKind | typeof headerKey, key: string, entry: unknown): RecordProblem[] {
  const wrong = shapeProblem(kind, entry) ?? illFormedPlace(entry);
  return wrong === undefined ? [] : [corrupt(key, "", wrong)];
}

/** A map, or a view of one. */
function isMap(map: unknown): boolean {
  if (typeof map !== "object" || map === null) return false;
  const { get, has } = map as Partial<Record<string, unknown>>;
  return typeof get === "function" && typeof has === "function" && Symbol.iterator in map;
}
