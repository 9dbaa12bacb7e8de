import { idsKey, managedKey, tryKey } from "../record/entry-key.ts";
import type { TryPlace } from "../record/entry-key.ts";
import type { ManagedEntry, ReadyValue, SkippedValue, StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { hasSequence } from "../record/sequence-runs.ts";
import { append } from "./append-message.ts";
import type { NewMessage } from "./append-message.ts";
import { unsavedChain } from "./attempt-chain.ts";
import { ChangeSet } from "./change-set.ts";
import { refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";
import { acknowledge, stopGroup } from "./group-changes.ts";
import { checkTry, pruneTries } from "./message-tries.ts";
import { endedBadly, groupAt, refuseVoid } from "./stream-ref.ts";
import type { EndedRefusal, SourceGroupRef, SourceRef } from "./stream-ref.ts";

/** What a handler staged for one message, as it is recorded. */
export interface HandledValues {
  readonly scope: string;
  /** The handling node, and its root attempt. */
  readonly nodeId: string;
  readonly parent: string;
  readonly index: number;
  readonly limit: number;
  /** The new state; absent: unchanged. */
  readonly state?: ReadyValue;
  readonly values: readonly (ReadyValue | SkippedValue)[];
  readonly sends: readonly (SourceRef & { readonly messages: readonly NewMessage[] })[];
}

export interface CommitMessage extends SourceGroupRef {
  /** What is acknowledged; absent for a stop alone. */
  readonly sequence?: number;
  readonly stop: boolean;
  readonly handled?: HandledValues;
}

export interface CommittedMessage {
  /** For each of the sends the sequence of its first message; `undefined` where nobody reads that stream any more (STR-36). */
  readonly sends: readonly ({ readonly first: number } | undefined)[];
}

/**
 * One acknowledgement, a stop, or both; with what a handler staged, all of it in one save (REC-14). An acknowledgement that
 * was made before, or that comes after the group's stop, changes nothing (STR-7, STR-40); a failed or canceled source is
 * told as an answer (STR-43). A completed run takes acknowledgements too (STR-53).
 * @throws PULSE_USAGE for what the record does not know, another generation and a void source (STR-49, STR-21); for a
 *   handling node that may not go on, a try that is not the next one, and a key that was contributed before
 */
export function commitMessage(view: RunView, command: CommitMessage): Decision<CommittedMessage | EndedRefusal> {
  const { sequence, stop, handled } = command;
  const changes = new ChangeSet(view);
  const group = groupAt(changes, command);
  if (sequence !== undefined) checkSequence(view, group, sequence);
  const acknowledges = sequence !== undefined && hasSequence(group.pending, sequence);
  const ended = endedBadly(group);
  if (acknowledges && ended !== undefined) return { changes: [], result: ended };
  if (acknowledges || (stop && !group.stopped && ended === undefined)) refuseVoid(view, group);
  if (acknowledges) acknowledge(changes, group, sequence);
  const sends = handled === undefined ? [] : confirm(changes, group, sequence, handled);
  if (stop && ended === undefined) stopGroup(changes, groupAt(changes, command));
  return { changes: changes.changes(), result: { sends } };
}

function checkSequence(view: RunView, { key, nodeId, lastSequence }: StreamEntry, sequence: number): void {
  if (Number.isSafeInteger(sequence) && sequence >= 1 && sequence <= lastSequence) return;
  refuse(
    view,
    "STR-49",
    `stream "${key}" of node "${nodeId}" has ${lastSequence} messages, and none numbered ${sequence}`,
  );
}

/** The try, the managed record and the sent messages, beside the acknowledgement. */
function confirm(
  changes: ChangeSet,
  { sourceId, group, pending, stopped }: StreamEntry,
  sequence: number | undefined,
  handled: HandledValues,
): CommittedMessage["sends"] {
  const { view } = changes;
  const { nodeId, parent, index, limit } = handled;
  if (sequence === undefined) refuse(view, "REC-12", `node "${nodeId}" has handled no message of its group`);
  const place: TryPlace = { sourceId, group, sequence, nodeId, parent };
  if (!stopped && !hasSequence(pending, sequence)) {
    refuse(view, "REC-12", `node "${nodeId}" has handled message ${sequence}, which was acknowledged before`);
  }
  checkTry(view, place, { scope: handled.scope, index, limit });
  changes.add(unsavedChain(view, parent));
  changes.put(tryKey(place, index), { limit, state: "confirmed" });
  pruneTries(changes, place);
  putManaged(changes, handled);
  return handled.sends.map(({ messages, ...ref }) => {
    const result = append(changes, ref, messages);
    if (!("refused" in result)) return result;
    // A node that works on has no failed stream.
    if (result.refused !== "unread") refuse(view, "STR-49", `node "${nodeId}" sends on a stream that has ended`);
    return undefined;
  });
}

/** Empty state and no values still make a managed record (REC-22); one that is there is written again only when it changes. */
function putManaged(changes: ChangeSet, { scope, nodeId, parent, state, values }: HandledValues): void {
  const { view } = changes;
  const before = view.record.managed.get(idsKey(scope, parent, nodeId));
  if (before !== undefined && state === undefined && values.length === 0) return;
  const names = new Set(before?.values.map(({ name }) => name));
  for (const { name } of values) {
    if (names.has(name)) refuse(view, "STR-52", `node "${nodeId}" contributes key "${name}" twice`);
    names.add(name);
  }
  const current = state ?? before?.state;
  const entry: ManagedEntry = {
    ...(current === undefined ? undefined : { state: current }),
    values: [...(before?.values ?? []), ...values],
  };
  changes.put(managedKey(scope, parent, nodeId), entry);
}
