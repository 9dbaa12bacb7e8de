import { idsKey, streamKey } from "../record/entry-key.ts";
import type { TryPlace } from "../record/entry-key.ts";
import type { ReadyValue } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { refuse } from "./decision.ts";
import { nextTry } from "./message-tries.ts";
import type { NextTry } from "./message-tries.ts";

export interface MessageAttemptQuery extends TryPlace {
  readonly scope: string;
  readonly limit: number;
}

export interface FoundAttempt extends NextTry {
  /** The last confirmed state of the handling node; absent while none was set (STR-18). */
  readonly state?: ReadyValue;
}

/**
 * Which try of a message comes next, and the state that it begins with (STR-24). A look: changes nothing.
 * @throws PULSE_INCOMPATIBLE when the recorded tries have another limit; PULSE_USAGE for a group that the record does not
 *   know (STR-49), and for a message that was handled before
 */
export function messageAttempt(view: RunView, query: MessageAttemptQuery): FoundAttempt {
  const { sourceId, group, scope, nodeId, parent, limit } = query;
  if (!view.record.streams.has(idsKey(sourceId, group))) {
    refuse(view, "STR-49", `the record knows no ${streamKey(sourceId, group)}`);
  }
  const next = nextTry(view, query, limit);
  const state = view.record.managed.get(idsKey(scope, parent, nodeId))?.state;
  return state === undefined ? next : { ...next, state };
}
