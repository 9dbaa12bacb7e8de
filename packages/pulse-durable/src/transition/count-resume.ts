import { PulseError } from "@pulse-ts/core";
import { headerKey } from "../record/entry-key.ts";
import type { Header } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { shownRunId } from "../run-id.ts";
import type { Decision } from "./decision.ts";

export interface CountResume {
  /** How often the run may be resumed; without it there is no limit. */
  readonly maxResumes?: number;
}

/**
 * Counts a resume of a running run (DUR-28): part of the resume's first save.
 * @throws PULSE_RESUME_LIMIT when the run was resumed `maxResumes` times already (DUR-11)
 */
export function countResume(view: RunView, command: CountResume): Decision<{ readonly resumes: number }> {
  const { header } = view.record;
  if (command.maxResumes !== undefined) refuseResume(header, command.maxResumes);
  const resumes = header.resumes + 1;
  return { changes: [{ kind: "put", key: headerKey, entry: { ...header, resumes } }], result: { resumes } };
}

/** @throws PULSE_RESUME_LIMIT when the run was resumed `maxResumes` times already (DUR-11) */
export function refuseResume({ runId, resumes }: Header, maxResumes: number): void {
  if (resumes < maxResumes) return;
  const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
  const message = `run "${shownRunId(runId)}" was resumed ${times(resumes)} and may be resumed ${times(maxResumes)} (maxResumes); find out what stops it, then raise maxResumes`;
  throw new PulseError("PULSE_RESUME_LIMIT", message, {
    details: { runId, next: "raise-max-resumes", resumes, maxResumes },
  });
}
