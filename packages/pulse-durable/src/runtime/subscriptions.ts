import { PulseError } from "@pulse-ts/core";
import type { AnyGraph, Problem } from "@pulse-ts/core";
import type { StreamSubscription } from "@pulse-ts/core/checkpoint";
import { idsKey } from "../record/entry-key.ts";
import type { StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { shownRunId } from "../run-id.ts";
import { isVoid } from "../transition/stream-ref.ts";
import type { HostGroups } from "./host-rest.ts";
import type { Ledger } from "./ledger.ts";
import { pathIn } from "./prepared.ts";
import type { Prepared, PreparedStream } from "./prepared.ts";
import type { RunCall } from "./run-error.ts";

export interface SubscriptionsCheck extends RunCall {
  readonly graph: AnyGraph;
  readonly prepared: Prepared;
  readonly view: RunView;
  /** What the host has subscribed to, in `beforeStart`. */
  readonly subscriptions: readonly StreamSubscription[];
}

/**
 * Compares the groups of the record with the readers of the definition and the host's subscriptions, before anything is
 * recorded or runs (STR-37). Costs the streams of the definition and the record, not their messages.
 * @throws PULSE_USAGE for a recorded group with something to read that nobody reads, and for a group that the stream was
 *   opened without; PULSE_INVALID for a stream that nobody reads at all (STR-11)
 */
export function checkSubscriptions(check: SubscriptionsCheck): void {
  const { prepared, view, subscriptions } = check;
  const unread: Problem[] = [];
  for (const stream of prepared.streams.values()) {
    const { path, key, readers } = stream;
    const host = subscriptions.filter((each) => each.path === path && each.key === key.name).map(({ group }) => group);
    const recorded = recordedGroups(view, stream);
    if (recorded.length === 0) {
      const running = view.record.header.status === "running";
      if (running && host.length === 0 && readers.length === 0) unread.push(unreadProblem(check.graph, stream));
      continue;
    }
    const read = new Set([...host, ...readers.map(({ group }) => group)]);
    for (const { group, end, pending, stopped } of recorded) {
      if (stopped || read.has(group) || (end !== "open" && pending.length === 0)) continue;
      throw refused(
        check,
        stream,
        `group ${JSON.stringify(group)} has something to read and nobody reads it; subscribe under this name in beforeStart`,
      );
    }
    for (const group of host) {
      if (recorded.some((entry) => entry.group === group)) continue;
      throw refused(
        check,
        stream,
        `group ${JSON.stringify(group)} is new, and would have missed messages: the stream was opened without it; subscribe under the names that the run was started with`,
      );
    }
  }
  if (unread.length === 0) return;
  const { runId, next } = check;
  const lines = unread.map(({ message }) => message).join("; ");
  throw new PulseError("PULSE_INVALID", `run "${shownRunId(runId)}" cannot begin: ${lines}`, {
    details: { problems: unread, runId, next },
  });
}

/** The keys in `record.streams` of the groups that the host has subscribed to, as far as the streams are opened. */
export function hostGroups(
  ledger: Pick<Ledger, "view">,
  { streams }: Prepared,
  subscriptions: readonly StreamSubscription[],
): HostGroups {
  return () => {
    if (subscriptions.length === 0) return [];
    return [...streams.values()].flatMap((stream) =>
      recordedGroups(ledger.view, stream)
        .filter(({ group }) =>
          subscriptions.some(
            (each) => each.path === stream.path && each.key === stream.key.name && each.group === group,
          ),
        )
        .map(({ sourceId, group }) => idsKey(sourceId, group)),
    );
  };
}

/** The groups of the stream's sources that are still valid: no ancestor of theirs has failed. */
function recordedGroups(view: RunView, { path, key }: PreparedStream): readonly StreamEntry[] {
  const found: StreamEntry[] = [];
  for (const entry of view.record.streams.values()) {
    if (entry.key !== key.name || entry.end === "failed") continue;
    const scope = view.record.scopes.get(entry.scope);
    if (scope === undefined || pathIn(scope.path, entry.nodeId) !== path || isVoid(view, entry)) continue;
    found.push(entry);
  }
  return found;
}

function refused({ runId, next }: RunCall, { path, key }: PreparedStream, what: string): PulseError<"PULSE_USAGE"> {
  const message = `run "${shownRunId(runId)}": stream "${key.name}" of node "${path}": ${what}`;
  return new PulseError("PULSE_USAGE", message, { details: { rule: "STR-37", path, key: key.name, runId, next } });
}

function unreadProblem(graph: AnyGraph, { path, key, outputs }: PreparedStream): Problem {
  const message = `nothing reads stream "${key.name}", an output of the graph; subscribe to "${outputs[0]}" in beforeStart`;
  return { code: "PULSE_STREAM_UNREAD", path: `${graph.name}/${path}`, message, ends: [path, key.name] };
}
