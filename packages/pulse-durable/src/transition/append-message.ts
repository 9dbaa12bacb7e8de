import { messageKey } from "../record/entry-key.ts";
import type { ReadyValue, StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { withSequences } from "../record/sequence-runs.ts";
import { ChangeSet } from "./change-set.ts";
import { refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";
import { endedBadly, groupsAt, refuseVoid } from "./stream-ref.ts";
import type { EndedRefusal, SourceRef } from "./stream-ref.ts";

/** A message to append, as it is recorded. */
export interface NewMessage {
  readonly value: ReadyValue;
  /** The writer's position after it (STR-2); absent: the last one stays. */
  readonly cursor?: ReadyValue;
}

export interface AppendMessage extends SourceRef, NewMessage {}

/**
 * Appends one message: one entry, whatever the number of groups (REC-31), and each group that has not stopped has it
 * pending. Nothing changes when the last group has stopped (STR-36) or the source has failed or was canceled: these are
 * answers.
 * @throws PULSE_USAGE for an unknown, completed or void source (STR-49), and for another generation (STR-21)
 */
export function appendMessage(
  view: RunView,
  { value, cursor, ...ref }: AppendMessage,
): Decision<{ readonly sequence: number } | { readonly refused: "unread" } | EndedRefusal> {
  const changes = new ChangeSet(view);
  const message = cursor === undefined ? { value } : { value, cursor };
  const result = append(changes, ref, [message]);
  return { changes: changes.changes(), result: "refused" in result ? result : { sequence: result.first } };
}

/** Appends messages in order, as part of a decision; `first` is the sequence of the first. */
export function append(
  changes: ChangeSet,
  ref: SourceRef,
  messages: readonly NewMessage[],
): { readonly first: number } | { readonly refused: "unread" } | EndedRefusal {
  const groups = groupsAt(changes, ref);
  const source = groups[0] as StreamEntry;
  const ended = endedBadly(source);
  if (ended !== undefined) return ended;
  const { end, nodeId, key, sourceId } = source;
  if (end !== "open") refuse(changes.view, "STR-49", `stream "${key}" of node "${nodeId}" has ended (${end})`);
  refuseVoid(changes.view, source);
  if (groups.every(({ stopped }) => stopped)) return { refused: "unread" };
  const first = source.lastSequence + 1;
  let { cursor } = source;
  for (const [at, message] of messages.entries()) {
    cursor = message.cursor ?? cursor;
    changes.put(messageKey(sourceId, first + at), { value: message.value });
  }
  if (messages.length > 0) for (const group of groups) changes.putGroup(appended(group, messages.length, cursor));
  return { first };
}

function appended(group: StreamEntry, count: number, cursor: ReadyValue | undefined): StreamEntry {
  const lastSequence = group.lastSequence + count;
  const pending = group.stopped ? group.pending : withSequences(group.pending, group.lastSequence + 1, lastSequence);
  return { ...group, lastSequence, ...(cursor === undefined ? undefined : { cursor }), pending };
}
