import type { RunRecord, StreamEntry } from "../../record/format.ts";

/** What may not have happened to the streams of a record from one process to the next; each is a sentence. */
export function recordFaults(before: RunRecord | undefined, after: RunRecord | undefined): readonly string[] {
  if (after === undefined) return before === undefined ? [] : ["the record is gone"];
  const faults: string[] = [];
  const raised = after.header.resumes - (before?.header.resumes ?? 0);
  if (raised < 0 || raised > 1) faults.push(`resumes went from ${before?.header.resumes} to ${after.header.resumes}`);
  for (const [id, entry] of before?.streams ?? []) {
    const now = after.streams.get(id);
    if (now === undefined) faults.push(`group ${entry.group} of ${entry.key} is gone`);
    else faults.push(...groupFaults(entry, now, raised).map((what) => `${entry.group} of ${entry.key}: ${what}`));
  }
  return faults;
}

function groupFaults(before: StreamEntry, now: StreamEntry, raised: number): readonly string[] {
  const faults: string[] = [];
  if (now.ackedThrough < before.ackedThrough)
    faults.push(`the frontier fell from ${before.ackedThrough} to ${now.ackedThrough}`);
  if (now.lastSequence < before.lastSequence) faults.push(`${before.lastSequence} messages became ${now.lastSequence}`);
  if (before.stopped && !now.stopped) faults.push("it is not stopped any more");
  if (before.end !== "open" && now.end !== before.end) faults.push(`its end went from ${before.end} to ${now.end}`);
  // Once with each resume, in the save that counts it (STR-21).
  const wanted = before.generation + (before.end === "open" ? raised : 0);
  if (now.generation !== wanted)
    faults.push(`its generation went from ${before.generation} to ${now.generation}, not to ${wanted}`);
  return faults;
}
