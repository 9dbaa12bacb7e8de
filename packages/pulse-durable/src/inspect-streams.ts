import type { RunRecord, StreamEnd, StreamEntry } from "./record/format.ts";
import { sequenceCount } from "./record/sequence-runs.ts";

/** A stream that a node has opened, without its messages (DUR-14). */
export interface StreamInspection {
  readonly key: string;
  /** `open`: its writer may go on. */
  readonly end: StreamEnd;
  /** The sequence of the last message. */
  readonly sent: number;
  readonly capacity: number;
  readonly resumable: boolean;
  /** From 1; rises by one with each resume of the run while the stream is open (STR-21). */
  readonly generation: number;
  /** By name. */
  readonly groups: readonly StreamGroupInspection[];
}

export interface StreamGroupInspection {
  /** The name that its readers gave, else `/` and the reader's path; `host` for the host by default. */
  readonly name: string;
  /** The highest sequence with nothing unacknowledged at or below it (STR-7). */
  readonly frontier: number;
  /** How many messages it has not acknowledged. */
  readonly pending: number;
  readonly stopped: boolean;
}

/** The streams by the root attempts that have opened them. Linear in the groups of the record. */
export function streamsByAttempt({ streams }: RunRecord): ReadonlyMap<string, readonly StreamInspection[]> {
  const sources = new Map<string, StreamEntry[]>();
  for (const entry of streams.values()) {
    const groups = sources.get(entry.sourceId);
    if (groups === undefined) sources.set(entry.sourceId, [entry]);
    else groups.push(entry);
  }
  const found = new Map<string, StreamInspection[]>();
  for (const groups of sources.values()) {
    const [{ attempt }] = groups as [StreamEntry];
    const opened = found.get(attempt);
    if (opened === undefined) found.set(attempt, [streamInspection(groups)]);
    else opened.push(streamInspection(groups));
  }
  for (const opened of found.values()) opened.sort((one, other) => (one.key < other.key ? -1 : 1));
  return found;
}

function streamInspection(groups: readonly StreamEntry[]): StreamInspection {
  // All groups of a source agree in these (REC-29).
  const [{ key, end, lastSequence, capacity, resumable, generation }] = groups as [StreamEntry];
  return {
    key,
    end,
    sent: lastSequence,
    capacity,
    resumable,
    generation,
    groups: groups
      .map(({ group, ackedThrough, pending, stopped }) => ({
        name: group,
        frontier: ackedThrough,
        pending: sequenceCount(pending),
        stopped,
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  };
}
