import { attemptKey, headerKey } from "../record/entry-key.ts";
import type { RecordChange } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { activeAttempt, unsavedAround } from "./attempt-chain.ts";
import type { Decision } from "./decision.ts";

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
 * goes with its ancestors in this one (DUR-20). The failure of a root attempt of the root scope is the run's, in the same save.
 * @throws PULSE_USAGE when the attempt is unknown, not active, or void already
 */
export function failAttempt(view: RunView, command: FailAttempt): Decision<FailedAttempt> {
  const { attempt, failure } = command;
  const entry = activeAttempt(view, attempt);
  const changes: RecordChange[] = [
    ...unsavedAround(view, attempt),
    { kind: "put", key: attemptKey(attempt), entry: { ...entry, state: "failed" } },
  ];
  const { header } = view.record;
  const runFailed = entry.parent === header.rootScope && header.status === "running";
  if (runFailed) {
    const text = failure === undefined ? undefined : { failure };
    changes.push({ kind: "put", key: headerKey, entry: { ...header, status: "failed", ...text } });
  }
  return { changes, result: { runFailed } };
}
