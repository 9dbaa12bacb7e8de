import { attemptKey } from "../record/entry-key.ts";
import type { AttemptEntry, RunRecord } from "../record/format.ts";
import { corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** The scope that each attempt's node runs in, for those whose parent chains end at the root scope (REC-6). */
export interface Chains {
  readonly scopeOf: ReadonlyMap<string, string>;
  readonly problems: readonly RecordProblem[];
}

/** Walks each parent chain once, without recursion: chains may be as long as the record. */
export function chainsOf(record: RunRecord): Chains {
  const { rootScope } = record.header;
  const scopeOf = new Map<string, string>();
  const problems: RecordProblem[] = [];
  const broken = new Set<string>();
  for (const start of record.attempts.keys()) {
    const walked = new Map<string, AttemptEntry>();
    let at = start;
    while (at !== rootScope && !scopeOf.has(at) && !broken.has(at) && !walked.has(at)) {
      const entry = record.attempts.get(at);
      if (entry === undefined) break;
      walked.set(at, entry);
      at = entry.parent;
    }
    if (walked.has(at)) problems.push(corrupt(attemptKey(at), "parent", "leads round in a cycle"));
    const whole = at === rootScope || scopeOf.has(at);
    // From the outermost inwards: a retry runs in the scope of the attempt around it, a root attempt names its own.
    for (const [id, entry] of [...walked].toReversed()) {
      if (!whole) broken.add(id);
      else scopeOf.set(id, entry.boundary === "" ? entry.parent : (scopeOf.get(entry.parent) ?? rootScope));
    }
  }
  return { scopeOf, problems };
}
