import { isWellFormed } from "../record/plain.ts";
import type { StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { activeAttempt, unsavedChain } from "./attempt-chain.ts";
import { ChangeSet } from "./change-set.ts";
import { checkNewId, refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";
import { stopGroup } from "./group-changes.ts";

export interface OpenStream {
  readonly scope: string;
  /** The writing node. */
  readonly nodeId: string;
  readonly key: string;
  /** Its root attempt (STR-32). */
  readonly attempt: string;
  /** Messages: from 1. */
  readonly capacity: number;
  readonly resumable: boolean;
  /** Every group that reads it; `stopped` for one whose readers have all ended before. */
  readonly groups: readonly { readonly name: string; readonly stopped: boolean }[];
  /** The id that a new source gets; unused when one is recognised (REC-1). */
  readonly newId: string;
}

export interface OpenedSource {
  readonly state: "new" | "resumed";
  readonly sourceId: string;
  readonly generation: number;
  /** One for each group. */
  readonly entries: readonly StreamEntry[];
}

/**
 * Recognises the stream that a node has opened for a key, or makes it, with the attempts that no save holds yet (DUR-20).
 * A group whose readers have all ended is stopped with it.
 * @throws PULSE_USAGE when the attempt is not this node's active root attempt or is void, when the stream has ended
 *   (STR-49), or when it is read by a group that it was not opened for (STR-37)
 */
export function openStream(view: RunView, command: OpenStream): Decision<OpenedSource> {
  checkCommand(view, command);
  const { scope, nodeId, key } = command;
  const known = view.index.sourceAt(scope, nodeId, key);
  const changes = new ChangeSet(view);
  const groups = known === undefined ? [] : changes.groupsOf(known);
  return groups.length > 0 ? recognise(changes, groups, command) : make(changes, command);
}

function make(changes: ChangeSet, command: OpenStream): Decision<OpenedSource> {
  const { scope, nodeId, key, attempt, capacity, resumable, newId: sourceId } = command;
  const { view } = changes;
  checkNewId(view, sourceId);
  changes.add(unsavedChain(view, attempt));
  const entries = command.groups.map(({ name: group, stopped }): StreamEntry => {
    return {
      scope,
      nodeId,
      key,
      group,
      sourceId,
      attempt,
      generation: 1,
      capacity,
      resumable,
      lastSequence: 0,
      ackedThrough: 0,
      pending: [],
      stopped,
      end: "open",
    };
  });
  for (const entry of entries) changes.putGroup(entry);
  return { changes: changes.changes(), result: { state: "new", sourceId, generation: 1, entries } };
}

function recognise(changes: ChangeSet, groups: readonly StreamEntry[], command: OpenStream): Decision<OpenedSource> {
  const { view } = changes;
  const { sourceId, generation, end, attempt, capacity, resumable } = groups[0] as StreamEntry;
  const stream = `stream "${command.key}" of node "${command.nodeId}"`;
  if (end !== "open") refuse(view, "STR-49", `${stream} has ended (${end}) and is opened no more`);
  if (attempt !== command.attempt || capacity !== command.capacity || resumable !== command.resumable) {
    refuse(view, "REC-29", `${stream} was opened with another root attempt, capacity or resumability`);
  }
  for (const { name, stopped } of command.groups) {
    const entry = groups.find(({ group }) => group === name);
    if (entry === undefined) refuse(view, "STR-37", `${stream} was opened without the group ${JSON.stringify(name)}`);
    if (stopped) stopGroup(changes, entry);
  }
  const result: OpenedSource = { state: "resumed", sourceId, generation, entries: changes.groupsOf(sourceId) };
  return { changes: changes.changes(), result };
}

function checkCommand(view: RunView, { scope, nodeId, key, attempt, capacity, groups }: OpenStream): void {
  const stream = `stream "${key}" of node "${nodeId}"`;
  const entry = activeAttempt(view, attempt, "STR-49");
  if (entry.boundary !== "" || entry.parent !== scope || entry.nodeId !== nodeId) {
    refuse(view, "STR-32", `attempt ${attempt} is no root attempt of node "${nodeId}" in scope ${scope}`);
  }
  if (!Number.isSafeInteger(capacity) || capacity < 1) refuse(view, "STR-1", `${stream}: ${capacity} is no capacity`);
  const names = new Set(groups.map(({ name }) => name));
  if (names.size === 0) refuse(view, "STR-11", `${stream} has no group to read it`);
  if (names.size < groups.length) refuse(view, "STR-5", `${stream} is given a group twice`);
  if (![...names].every(isWellFormed)) refuse(view, "REC-15", `${stream}: a group's name has an unpaired surrogate`);
}
