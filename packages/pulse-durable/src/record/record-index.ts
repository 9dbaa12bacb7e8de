import { parseEntryKey } from "./entry-key.ts";
import type { AttemptEntry, RecordChange, RecordEntry, RunRecord } from "./format.ts";

/**
 * Finds attempts and nodes by their place, in constant time (DUR-15). It names candidates only: whether an entry is
 * there, and in which state, the record tells.
 */
export interface RecordIndex {
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
  /** Follows a change; `before` is the entry that the key had. */
  apply(change: RecordChange, before: RecordEntry | undefined): void;
}

/** Indexes a record once; the cost is linear in it. */
export function recordIndex(record: Pick<RunRecord, "attempts" | "nodes">): RecordIndexWriter {
  const attempts = new Map<string, string[]>();
  const nodes = new Map<string, Set<string>>();
  const failed = new Map<string, Set<string>>();

  const addAttempt = (id: string, entry: AttemptEntry): void => {
    const place = placeKey(entry.parent, entry.nodeId, entry.boundary);
    const ids = attempts.get(place);
    if (ids === undefined) attempts.set(place, [id]);
    // A change of state puts the same attempt again, and it is the latest: its place has no other.
    else if (ids.at(-1) !== id && !ids.includes(id)) ids.push(id);
    if (entry.boundary === "") setMember(failed, entry.parent, id, entry.state === "failed");
  };
  const removeAttempt = (id: string, entry: AttemptEntry): void => {
    const place = placeKey(entry.parent, entry.nodeId, entry.boundary);
    const rest = attempts.get(place)?.filter((other) => other !== id) ?? [];
    if (rest.length === 0) attempts.delete(place);
    else attempts.set(place, rest);
    setMember(failed, entry.parent, id, false);
  };
  const sorted = [...record.attempts].toSorted(([, one], [, other]) => one.index - other.index);
  for (const [id, entry] of sorted) addAttempt(id, entry);
  for (const key of record.nodes.keys()) setMember(nodes, scopeOfNodeKey(key), key, true);

  return {
    attemptsAt: (parent, nodeId, boundary) => attempts.get(placeKey(parent, nodeId, boundary)) ?? [],
    nodesIn: (scope) => nodes.get(scope) ?? noneFound,
    failedIn: (scope) => failed.get(scope) ?? noneFound,
    addAttempt,
    apply(change, before) {
      const parsed = parseEntryKey(change.key);
      if (parsed?.kind === "node") {
        setMember(nodes, scopeOfNodeKey(parsed.ids), parsed.ids, change.kind === "put");
      } else if (parsed?.kind === "attempt") {
        // Ids of attempts are hex, so the key holds them as they are.
        if (change.kind === "put") addAttempt(parsed.ids, change.entry as AttemptEntry);
        else if (before !== undefined) removeAttempt(parsed.ids, before as AttemptEntry);
      }
    },
  };
}

const noneFound: ReadonlySet<string> = new Set();

// Node ids and boundaries may hold any character; the length makes the parts tell apart.
function placeKey(parent: string, nodeId: string, boundary: string): string {
  return `${parent}/${boundary.length}/${boundary}/${nodeId}`;
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
