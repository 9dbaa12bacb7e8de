import { idsKey } from "./entry-key.ts";
import type { StreamEntry } from "./format.ts";

/** One try of a handling node, by what its key tells. */
export interface IndexedTry {
  readonly sequence: number;
  readonly index: number;
  /** Its key in `record.tries`. */
  readonly ids: string;
}

/**
 * Finds streams and tries by their place. Like the rest of the index it names candidates only: the record tells whether an
 * entry is there.
 */
export interface StreamIndex {
  /** The ids of the sources whose writing node is in a scope. */
  sourcesIn(scope: string): ReadonlySet<string>;
  /** The source that a node of a scope has opened for a key. */
  sourceAt(scope: string, nodeId: string, key: string): string | undefined;
  /** The ids of the sources that a root attempt has opened (STR-32). */
  sourcesOfAttempt(attempt: string): ReadonlySet<string>;
  /** The keys in `record.streams` of a source's groups, in the order in which they were made. */
  groupsOf(sourceId: string): ReadonlySet<string>;
  /**
   * The tries of a handling node, by the key in `record.streams` of the group that it handles for: by sequence, then by
   * index.
   */
  triesOf(parent: string, nodeId: string): ReadonlyMap<string, readonly IndexedTry[]>;
}

export interface StreamIndexWriter extends StreamIndex {
  /** Who writes a stream, and where, never changes: an entry is added once and removed with its last trace. */
  followStream(ids: string, now: StreamEntry | undefined, before: StreamEntry | undefined): void;
  followTry(ids: string, present: boolean): void;
}

/** An empty one. */
export function streamIndex(): StreamIndexWriter {
  const groups = new Map<string, Set<string>>();
  const inScope = new Map<string, Set<string>>();
  const ofAttempt = new Map<string, Set<string>>();
  const places = new Map<string, string>();
  const tries = new Map<string, Map<string, IndexedTry[]>>();

  const addStream = (ids: string, { sourceId, scope, nodeId, key, attempt }: StreamEntry): void => {
    if (groups.get(sourceId)?.has(ids)) return;
    addMember(groups, sourceId, ids);
    addMember(inScope, scope, sourceId);
    addMember(ofAttempt, attempt, sourceId);
    places.set(idsKey(scope, nodeId, key), sourceId);
  };
  const removeStream = (ids: string, { sourceId, scope, nodeId, key, attempt }: StreamEntry): void => {
    removeMember(groups, sourceId, ids);
    if (groups.has(sourceId)) return;
    removeMember(inScope, scope, sourceId);
    removeMember(ofAttempt, attempt, sourceId);
    places.delete(idsKey(scope, nodeId, key));
  };
  const addTry = (group: string, handler: string, each: IndexedTry): void => {
    let ofHandler = tries.get(handler);
    if (ofHandler === undefined) tries.set(handler, (ofHandler = new Map()));
    const list = ofHandler.get(group);
    if (list === undefined) ofHandler.set(group, [each]);
    else insert(list, each);
  };
  const removeTry = (group: string, handler: string, each: IndexedTry): void => {
    const ofHandler = tries.get(handler);
    const list = ofHandler?.get(group);
    if (ofHandler === undefined || list === undefined) return;
    const at = placeOf(list, each);
    // What leaves is mostly the lowest.
    if (at === 0) list.shift();
    else if (at !== undefined) list.splice(at, 1);
    if (list.length > 0) return;
    ofHandler.delete(group);
    if (ofHandler.size === 0) tries.delete(handler);
  };

  return {
    sourcesIn: (scope) => inScope.get(scope) ?? none,
    sourceAt: (scope, nodeId, key) => places.get(idsKey(scope, nodeId, key)),
    sourcesOfAttempt: (attempt) => ofAttempt.get(attempt) ?? none,
    groupsOf: (sourceId) => groups.get(sourceId) ?? none,
    triesOf: (parent, nodeId) => tries.get(idsKey(nodeId, parent)) ?? noTries,
    followStream(ids, now, before) {
      if (now !== undefined) addStream(ids, now);
      else if (before !== undefined) removeStream(ids, before);
    },
    followTry(ids, present) {
      // The parts stay encoded: they are only put together again.
      const [sourceId, group, sequence, nodeId, parent, index] = ids.split("/");
      const each = { sequence: Number(sequence), index: Number(index), ids };
      const [ofGroup, handler] = [`${sourceId}/${group}`, `${nodeId}/${parent}`];
      if (present) addTry(ofGroup, handler, each);
      else removeTry(ofGroup, handler, each);
    },
  };
}

const none: ReadonlySet<string> = new Set();
const noTries: ReadonlyMap<string, readonly IndexedTry[]> = new Map();

/** The last of those that are not above the sequence, by index; `undefined` unless it is of this very sequence. */
export function latestOf(tries: readonly IndexedTry[], sequence: number): IndexedTry | undefined {
  const last = tries[firstFrom(tries, { sequence: sequence + 1, index: 0 }) - 1];
  return last?.sequence === sequence ? last : undefined;
}

/** Nearly always the new one is the highest. */
function insert(list: IndexedTry[], each: IndexedTry): void {
  const at = firstFrom(list, each);
  if (list[at]?.ids === each.ids) return;
  if (at === list.length) list.push(each);
  else list.splice(at, 0, each);
}

function placeOf(list: readonly IndexedTry[], each: IndexedTry): number | undefined {
  const at = firstFrom(list, each);
  return list[at]?.ids === each.ids ? at : undefined;
}

/** The place of the first that is not below, or the end. */
function firstFrom(list: readonly IndexedTry[], { sequence, index }: Omit<IndexedTry, "ids">): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = list[middle] as IndexedTry;
    if (each.sequence < sequence || (each.sequence === sequence && each.index < index)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function addMember(sets: Map<string, Set<string>>, owner: string, member: string): void {
  const set = sets.get(owner);
  if (set === undefined) sets.set(owner, new Set([member]));
  else set.add(member);
}

function removeMember(sets: Map<string, Set<string>>, owner: string, member: string): void {
  const set = sets.get(owner);
  if (set?.delete(member) === true && set.size === 0) sets.delete(owner);
}
