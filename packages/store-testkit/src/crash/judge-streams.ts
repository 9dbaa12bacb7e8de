import type { ReadStream } from "./child-event.ts";
import { isVoid } from "./judge-bodies.ts";
import type { Mirror } from "./mirror.ts";
import type { Violation } from "./violation.ts";

type Finding = Omit<Violation, "process">;

/**
 * What one save must not do to the accounts of streams: a frontier, a last sequence and a generation never fall, an end never
 * changes, and a generation rises by one with the first save of a resume, for what is open and valid, and at no other time.
 */
export function judgeStreams(
  before: Mirror,
  after: Mirror,
  { resumed }: { readonly resumed: boolean },
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [key, content] of before.entries) {
    if (!key.startsWith("stream/")) continue;
    const bad = (rule: string, message: string): void =>
      void findings.push({ kind: "stream-went-back", rule, message: `${key}: ${message}` });
    const next = after.entries.get(key);
    if (next === undefined) {
      bad("STR-22", "the account is gone");
      continue;
    }
    // Told by `watchedStore`: the entry under a key is of the kind that the key says.
    const [was, is] = [JSON.parse(content) as ReadStream, JSON.parse(next) as ReadStream];
    if (is.ackedThrough < was.ackedThrough)
      bad("STR-7", `its frontier fell from ${was.ackedThrough} to ${is.ackedThrough}`);
    if (is.lastSequence < was.lastSequence)
      bad("STR-2", `its last sequence fell from ${was.lastSequence} to ${is.lastSequence}`);
    if (was.stopped && !is.stopped) bad("STR-9", "a group that has stopped reads again");
    if (was.end !== "open" && is.end !== was.end) bad("STR-23", `its end changed from ${was.end} to ${is.end}`);
    const rises = resumed && was.end === "open" && isValid(was, before);
    const wanted = was.generation + (rises ? 1 : 0);
    if (is.generation !== wanted) bad("STR-21", `its generation is ${is.generation}, not ${wanted}`);
  }
  return findings;
}

function isValid({ scope, attempt }: ReadStream, mirror: Mirror): boolean {
  return mirror.attempt(attempt)?.state !== "failed" && !isVoid(scope, mirror);
}
