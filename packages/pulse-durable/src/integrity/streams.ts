import { descriptorProblems } from "./descriptors.ts";
import { managedProblems } from "./managed.ts";
import { messageTries } from "./message-tries.ts";
import { messageProblems } from "./messages.ts";
import type { CheckedParts } from "./parts.ts";
import type { RecordProblem } from "./problem.ts";
import { sourcesOf } from "./sources.ts";
import { streamEndProblems } from "./stream-ends.ts";
import { streamGroupProblems } from "./stream-groups.ts";

/**
 * All that is wrong with the streams of a record whose tree was found sound (REC-10 to REC-13, REC-20 to REC-22, REC-29,
 * REC-30). What is void is checked alike. Linear in the record; nothing is decoded.
 */
export function streamProblems(parts: CheckedParts): readonly RecordProblem[] {
  const sources = sourcesOf(parts);
  const groups = streamGroupProblems(parts, sources);
  if (groups.some(({ kind }) => kind !== "codec")) return groups;
  const tries = messageTries(parts, sources);
  return [
    ...groups,
    ...streamEndProblems(parts, sources),
    ...descriptorProblems(parts, sources),
    ...messageProblems(parts, sources),
    ...tries.problems,
    ...managedProblems(parts, tries.confirmed),
  ];
}
