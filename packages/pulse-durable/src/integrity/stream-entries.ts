import { mapOfKind } from "../record/entry-key.ts";
import type { EntryKind } from "../record/entry-key.ts";
import type { RecordEntry } from "../record/format.ts";
import type { CheckedParts } from "./parts.ts";
import { corrupt } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/** The kinds of entries that only streams have. */
export const streamKinds = ["stream", "message", "try", "managed"] as const satisfies readonly EntryKind[];

/** A definition without streams has written no entry of theirs (REC-18). */
export function streamEntryProblems({ record, definition }: CheckedParts): readonly RecordProblem[] {
  if (definition === undefined) return [];
  return streamKinds.flatMap((kind) => {
    const map: ReadonlyMap<string, RecordEntry> = record[mapOfKind[kind]];
    return [...map.keys()].map((ids) => corrupt(`${kind}/${ids}`, "", "the definition has no stream"));
  });
}
