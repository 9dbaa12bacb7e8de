import { outputInspection } from "./inspect-output.ts";
import type { OutputInspection } from "./inspect-output.ts";
import { idsKey, parseIds } from "./record/entry-key.ts";
import type { AttemptState, RunRecord } from "./record/format.ts";

/** What a node has made of the messages that it handled (DUR-14). */
export interface HandledInspection {
  /** The state after the last confirmed message; absent while none was set. Its name is empty. */
  readonly state?: OutputInspection;
  /** What its handlers have contributed, in that order. */
  readonly values: readonly OutputInspection[];
  /** The last try of each message that was tried and is not confirmed, by stream, group and sequence. */
  readonly tries: readonly MessageTryInspection[];
}

export interface MessageTryInspection {
  /** The key of the stream, as its writer names it. */
  readonly stream: string;
  readonly group: string;
  readonly sequence: number;
  /** From 1. */
  readonly index: number;
  readonly limit: number;
  readonly state: AttemptState;
}

/** By the root attempts that handle messages; those without any are not in it. Linear in tries and managed records. */
export function handledByAttempt(record: RunRecord): ReadonlyMap<string, HandledInspection> {
  const tries = lastTries(record);
  const found = new Map<string, HandledInspection>();
  for (const [attempt, list] of tries) found.set(attempt, { values: [], tries: list });
  for (const [ids, { state, values }] of record.managed) {
    // What was inspected has been checked: there are three ids.
    const [, attempt] = parseIds("managed", ids) as [string, string, string];
    found.set(attempt, {
      ...(state === undefined ? {} : { state: outputInspection(state) }),
      values: values.map(outputInspection),
      tries: tries.get(attempt) ?? [],
    });
  }
  return found;
}

type SixIds = readonly [string, string, string, string, string, string];

/** By the handling node's root attempt. */
function lastTries({ tries, streams }: RunRecord): ReadonlyMap<string, readonly MessageTryInspection[]> {
  const last = new Map<string, readonly [attempt: string, MessageTryInspection]>();
  for (const [ids, { limit, state }] of tries) {
    // As above: six.
    const [sourceId, group, sequence, nodeId, attempt, at] = parseIds("try", ids) as SixIds;
    const place = idsKey(sourceId, group, sequence, nodeId, attempt);
    const index = Number(at);
    if ((last.get(place)?.[1].index ?? 0) > index) continue;
    const stream = streams.get(idsKey(sourceId, group))?.key ?? "";
    const found = { stream, group, sequence: Number(sequence), index, limit, state };
    last.set(place, [attempt, found]);
  }
  const byAttempt = new Map<string, MessageTryInspection[]>();
  for (const [attempt, found] of last.values()) {
    if (found.state === "confirmed") continue;
    const list = byAttempt.get(attempt);
    if (list === undefined) byAttempt.set(attempt, [found]);
    else list.push(found);
  }
  for (const list of byAttempt.values()) list.sort(inOrder);
  return byAttempt;
}

function inOrder(one: MessageTryInspection, other: MessageTryInspection): number {
  if (one.stream !== other.stream) return one.stream < other.stream ? -1 : 1;
  if (one.group !== other.group) return one.group < other.group ? -1 : 1;
  return one.sequence - other.sequence;
}
