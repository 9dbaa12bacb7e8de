import type { EntryKind } from "./entry-key.ts";
import type { AttemptEntry, RecordEntry, RunRecord, StreamEntry } from "./format.ts";
import { streamIndex } from "./stream-index.ts";
import type { StreamIndex } from "./stream-index.ts";

/**
 * Finds attempts, nodes and streams by their place, in constant time (DUR-15). It names candidates only: whether an entry is
 * there, and in which state, the record tells.
 */
export interface RecordIndex extends StreamIndex {
  /** The ids of the attempts at one place, by index: the last is the latest. */
  attemptsAt(parent: string, nodeId: string, boundary: string): readonly string[];
  /** The keys in `record.nodes` of the nodes that were saved in a scope. */
  nodesIn(scope: string): ReadonlySet<string>;
  /** The ids of the root attempts of a scope that were saved as failed. */
  failedIn(scope: string): ReadonlySet<string>;
}

/** An index with its one writer. */
export interface RecordIndexWriter extends RecordIndex {
  addAttempt(id: string, entry: AttemptEntry): void;
  /** Follows the change of one entry: what it is now and what it was; `undefined` where it is not there. */
  follow(kind: EntryKind, ids: string, now: RecordEntry | undefined, before: RecordEntry | undefined): void;
}

/** Indexes a record once; the cost is linear in it. */
export function recordIndex(record: Pick<RunRecord, "attempts" | "nodes" | "streams" | "tries">): RecordIndexWriter {
  const attempts = new Map<string, Map<string, Place>>();
  const nodes = new Map<string, Set<string>>();
  const failed = new Map<string, Set<string>>();
  const streams = streamIndex();

  const addAttempt = (id: string, entry: AttemptEntry): void => {
    const key = placeKey(entry.nodeId, entry.boundary);
    let places = attempts.get(entry.parent);
    if (places === undefined) attempts.set(entry.parent, (places = new Map()));
    const place = places.get(key);
    // Most places have one attempt: its id alone stands for it, which is little to keep for each node.
    if (place === undefined) places.set(key, id);
    // A change of state puts the same attempt again, and it is the latest: its place has no other.
    else if (typeof place === "string") {
      if (place !== id) places.set(key, [place, id]);
    } else if (place.at(-1) !== id && !place.includes(id)) place.push(id);
    if (entry.boundary === "") setMember(failed, entry.parent, id, entry.state === "failed");
  };
  const removeAttempt = (id: string, entry: AttemptEntry): void => {
    const key = placeKey(entry.nodeId, entry.boundary);
    const places = attempts.get(entry.parent);
    const rest = idsAt(places?.get(key)).filter((other) => other !== id);
    if (rest.length > 0) places?.set(key, rest);
    else if (places?.delete(key) === true && places.size === 0) attempts.delete(entry.parent);
    setMember(failed, entry.parent, id, false);
  };
  for (const [id, entry] of byIndex(record.attempts)) addAttempt(id, entry);
  for (const key of record.nodes.keys()) setMember(nodes, scopeOfNodeKey(key), key, true);
  for (const [ids, entry] of record.streams) streams.followStream(ids, entry, undefined);
  for (const ids of record.tries.keys()) streams.followTry(ids, true);

  return {
    ...streams,
    attemptsAt: (parent, nodeId, boundary) => idsAt(attempts.get(parent)?.get(placeKey(nodeId, boundary))),
    nodesIn: (scope) => nodes.get(scope) ?? noneFound,
    failedIn: (scope) => failed.get(scope) ?? noneFound,
    addAttempt,
    follow(kind, ids, now, before) {
      if (kind === "node") setMember(nodes, scopeOfNodeKey(ids), ids, now !== undefined);
      else if (kind === "attempt") {
        // Ids of attempts are hex, so the key holds them as they are.
        if (now !== undefined) addAttempt(ids, now as AttemptEntry);
        else if (before !== undefined) removeAttempt(ids, before as AttemptEntry);
      } else if (kind === "stream") {
        streams.followStream(ids, now as StreamEntry | undefined, before as StreamEntry | undefined);
      } else if (kind === "try") streams.followTry(ids, now !== undefined);
    },
  };
}

/** The attempts of one place: one id, or several by index. */
type Place = string | string[];

const noneFound: ReadonlySet<string> = new Set();
const noIds: readonly string[] = [];

function idsAt(place: Place | undefined): readonly string[] {
  if (place === undefined) return noIds;
  return typeof place === "string" ? [place] : place;
}

// Node ids and boundaries may hold any character; a root attempt's place begins as no other, and the length makes the
// parts of the others tell apart.
function placeKey(nodeId: string, boundary: string): string {
  return boundary === "" ? `/${nodeId}` : `${boundary.length}/${boundary}/${nodeId}`;
}

/** Those of one place come in the order of their index; most records need no sorting, for they have one each. */
function byIndex(attempts: ReadonlyMap<string, AttemptEntry>): Iterable<readonly [string, AttemptEntry]> {
  for (const { index } of attempts.values()) {
    if (index !== 1) return [...attempts].toSorted(([, one], [, other]) => one.index - other.index);
  }
  return attempts;
}

function scopeOfNodeKey(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

function setMember(sets: Map<string, Set<string>>, owner: string, member: string, present: boolean): void {
  const set = sets.get(owner);
  if (!present) set?.delete(member);
  else if (set === undefined) sets.set(owner, new Set([member]));
  else set.add(member);
}
