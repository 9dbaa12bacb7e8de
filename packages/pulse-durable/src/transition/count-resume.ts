import { PulseError } from "@pulse-ts/core";
import { headerKey } from "../record/entry-key.ts";
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
  const { maxResumes } = command;
  if (maxResumes !== undefined && header.resumes >= maxResumes) {
    const { runId, resumes } = header;
    throw new PulseError(
      "PULSE_RESUME_LIMIT",
      `run "${shownRunId(runId)}" was resumed ${resumes} times and may be resumed ${maxResumes} times; find out what stops it, then raise maxResumes`,
      { details: { runId, next: "raise-max-resumes", resumes, maxResumes } },
    );
  }
  const resumes = header.resumes + 1;
  return { changes: [{ kind: "put", key: headerKey, entry: { ...header, resumes } }], result: { resumes } };
}
