import { PulseError } from "@pulse-ts/core";
import { streamKey } from "../record/entry-key.ts";
import type { TryPlace } from "../record/entry-key.ts";
import type { StreamEntry, TryEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { latestOf } from "../record/stream-index.ts";
import { shownRunId } from "../run-id.ts";
import { activeAttempt } from "./attempt-chain.ts";
import type { ChangeSet } from "./change-set.ts";
import { refuse } from "./decision.ts";

/** Which try of a message comes next. */
export interface NextTry {
  /** From 1. For an exhausted budget the limit. */
  readonly index: number;
  readonly exhausted: boolean;
}

/**
 * The try that comes next at a place, by what is recorded there (STR-24).
 * @throws PULSE_INCOMPATIBLE when the recorded tries have another limit; PULSE_USAGE when one is confirmed
 */
export function nextTry(view: RunView, place: TryPlace, limit: number): NextTry {
  const latest = latestTry(view, place);
  if (latest === undefined) return { index: 1, exhausted: false };
  const { index, entry } = latest;
  if (entry.limit !== limit) throw otherLimit(view, place, entry.limit, limit);
  if (entry.state === "confirmed") {
    refuse(view, "REC-12", `node "${place.nodeId}" has handled message ${place.sequence} before`);
  }
  if (entry.state === "active") return { index, exhausted: false };
  return index >= limit ? { index: limit, exhausted: true } : { index: index + 1, exhausted: false };
}

function latestTry(view: RunView, place: TryPlace): { readonly index: number; readonly entry: TryEntry } | undefined {
  const tries = view.index.triesOf(place.parent, place.nodeId).get(groupIds(place));
  const latest = tries === undefined ? undefined : latestOf(tries, place.sequence);
  const entry = latest === undefined ? undefined : view.record.tries.get(latest.ids);
  return latest === undefined || entry === undefined ? undefined : { index: latest.index, entry };
}

/** @throws PULSE_USAGE unless this is the next try of a message by an active root attempt of its node */
export function checkTry(
  view: RunView,
  place: TryPlace,
  given: { readonly scope?: string; readonly index: number; readonly limit: number },
): void {
  const { parent, nodeId, sequence } = place;
  const { scope, index, limit } = given;
  const entry = activeAttempt(view, parent);
  if (entry.boundary !== "" || entry.nodeId !== nodeId || (scope !== undefined && entry.parent !== scope)) {
    refuse(view, "REC-12", `attempt ${parent} is no root attempt of the handling node "${nodeId}"`);
  }
  if (!Number.isSafeInteger(limit) || limit < 1) refuse(view, "REC-12", `${limit} is no limit of tries`);
  const next = nextTry(view, place, limit);
  if (next.exhausted || next.index !== index) {
    refuse(view, "REC-12", `try ${index} of ${limit} of message ${sequence} by node "${nodeId}" is not the next one`);
  }
}

/**
 * The tries of a handling node that nothing needs any more leave: the failed ones of the message that it has just handled,
 * and all others at or below the frontier of their group. The try just confirmed is the newest, and stays (STR-29, REC-22).
 * What stays above a frontier is not looked at.
 */
export function pruneTries(changes: ChangeSet, place: TryPlace): void {
  const { index, record } = changes.view;
  const own = groupIds(place);
  for (const [group, tries] of index.triesOf(place.parent, place.nodeId)) {
    const frontier = frontierOf(changes, record.streams.get(group));
    for (const each of tries) {
      if (each.sequence > frontier) break;
      changes.delete(`try/${each.ids}`);
    }
    if (group !== own || place.sequence <= frontier) continue;
    for (let latest = latestOf(tries, place.sequence); latest !== undefined;) {
      changes.delete(`try/${latest.ids}`);
      const before = tries[tries.indexOf(latest) - 1];
      latest = before?.sequence === place.sequence ? before : undefined;
    }
  }
}

function frontierOf(changes: ChangeSet, recorded: StreamEntry | undefined): number {
  if (recorded === undefined) return 0;
  const now = changes.groupsOf(recorded.sourceId).find(({ group }) => group === recorded.group);
  return now?.ackedThrough ?? 0;
}

/** The key of the message's group in `record.streams`. */
function groupIds({ sourceId, group }: TryPlace): string {
  return streamKey(sourceId, group).slice("stream/".length);
}

function otherLimit(view: RunView, place: TryPlace, expected: number, found: number): PulseError {
  const { runId } = view.record.header;
  return new PulseError(
    "PULSE_INCOMPATIBLE",
    `resuming run "${shownRunId(runId)}": node "${place.nodeId}" handles messages with limit ${found}, the recorded tries of message ${place.sequence} have ${expected}; resume with the limit that the run was started with, or handle with another version`,
    { details: { runId, next: "same-definition", what: "definition", expected, found } },
  );
}
