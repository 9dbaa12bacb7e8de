import { tryKey } from "../record/entry-key.ts";
import type { TryPlace } from "../record/entry-key.ts";
import type { RunView } from "../record/live-record.ts";
import { hasSequence } from "../record/sequence-runs.ts";
import { unsavedChain } from "./attempt-chain.ts";
import { ChangeSet } from "./change-set.ts";
import { refuse } from "./decision.ts";
import type { Decision } from "./decision.ts";
import { checkTry } from "./message-tries.ts";
import { groupAt } from "./stream-ref.ts";

export interface FailMessage extends TryPlace {
  readonly generation: number;
  readonly index: number;
  readonly limit: number;
}

/**
 * Confirms that a try of a message has failed; publishes nothing (STR-16). It may be of a source that has ended since.
 * @throws PULSE_USAGE for a message that its group has not pending, another generation, a try that is not the next one, and
 *   a handling node that may not go on; PULSE_INCOMPATIBLE for another limit
 */
export function failMessage(view: RunView, command: FailMessage): Decision<undefined> {
  const { generation, index, limit, ...place } = command;
  const changes = new ChangeSet(view);
  const { pending, stopped } = groupAt(changes, command);
  if (!stopped && !hasSequence(pending, place.sequence)) {
    refuse(view, "STR-49", `node "${place.nodeId}" has failed at message ${place.sequence}, which is not pending`);
  }
  checkTry(view, place, { index, limit });
  changes.add(unsavedChain(view, place.parent));
  changes.put(tryKey(place, index), { limit, state: "failed" });
  return { changes: changes.changes(), result: undefined };
}
