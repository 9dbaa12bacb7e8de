import { PulseError } from "@pulse-ts/core";
import { isWellFormed } from "./record/plain.ts";

/**
 * Refuses what no store can keep as a run id: anything but a string, the empty one, and one with an unpaired surrogate
 * (REC-15). Every other string is a run id, and different strings are different runs (FILE-1).
 * @throws PULSE_INVALID
 */
export function checkRunId(runId: unknown): asserts runId is string {
  const wrong =
    typeof runId !== "string"
      ? `is ${runId === null ? "null" : typeof runId}, not a string`
      : runId === ""
        ? "is empty"
        : isWellFormed(runId)
          ? undefined
          : "has an unpaired surrogate";
  if (wrong === undefined) return;
  const message = `the run id ${wrong}; give a string that names the run`;
  throw new PulseError("PULSE_INVALID", message, {
    details: {
      problems: [{ code: "PULSE_OPTION_INVALID", message, path: "runId" }],
      runId: runIdIn(runId),
      next: "new-run-id",
    },
  });
}

/** What an error's details name as the run: the id as it was given, empty when what was given is no string (DUR-12). */
export function runIdIn(runId: unknown): string {
  return typeof runId === "string" ? runId : "";
}

/** A run id as messages show it: they stay readable and on one line, whatever somebody used as an id. */
export function shownRunId(runId: string): string {
  const text = runId.length > shownMax ? `${runId.slice(0, shownMax)}…` : runId;
  return JSON.stringify(text).slice(1, -1);
}

/** Characters of a run id that a message shows. */
const shownMax = 120;
