import { attemptKey, headerKey } from "../record/entry-key.ts";
import type { RunView } from "../record/live-record.ts";
import { activeAttempt, attemptOf, unsavedAround } from "./attempt-chain.ts";
import { ChangeSet } from "./change-set.ts";
import type { Decision } from "./decision.ts";
import { endStreams } from "./group-changes.ts";

export interface FailAttempt {
  readonly attempt: string;
  /** The business failure's text, if the host opted to keep it. Kept for the failure that decides the run. */
  readonly failure?: string;
}

export interface FailedAttempt {
  /** This failure decided the run (CKPT-21). */
  readonly runFailed: boolean;
}

/**
 * Confirms a real failure. All that descends from the attempt is void (REC-4, CKPT-22). An attempt that no save holds
 * goes with its ancestors in this one (DUR-20). The failure of a root attempt fails its open streams (STR-25), and in
 * the root scope it is the run's, all in the same save. For a root attempt that has failed before nothing changes.
 * @throws PULSE_USAGE when the attempt is unknown, confirmed, void already, or a failed try of a retry
 */
export function failAttempt(view: RunView, command: FailAttempt): Decision<FailedAttempt> {
  const { attempt, failure } = command;
  const known = attemptOf(view, attempt);
  if (known?.state === "failed" && known.boundary === "") return { changes: [], result: { runFailed: false } };
  const entry = activeAttempt(view, attempt);
  const changes = new ChangeSet(view);
  changes.add(unsavedAround(view, attempt));
  changes.put(attemptKey(attempt), { ...entry, state: "failed" });
  if (entry.boundary === "") endStreams(changes, attempt, "failed");
  const { header } = view.record;
  const runFailed = entry.parent === header.rootScope && header.status === "running";
  if (runFailed) {
    const text = failure === undefined ? undefined : { failure };
    changes.put(headerKey, { ...header, status: "failed", ...text });
  }
  return { changes: changes.changes(), result: { runFailed } };
}
