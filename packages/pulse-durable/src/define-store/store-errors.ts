import { PulseError } from "@pulse-ts/core";
import type { NextStep } from "../errors.ts";
import { shownRunId } from "../run-id.ts";

/** The errors that a store throws (page 60): each says what was done, what was found, and what helps. */

/** What was being done when something failed, for messages. */
export interface Doing {
  /** `saving run "order-7"` */
  readonly what: string;
  readonly runId: string;
  /** The file, folder, database or address. Never with a password. */
  readonly medium: string;
}

/** A {@link Doing} of one run. */
export const doingWith = (what: string, runId: string, medium: string): Doing => ({
  what: `${what} run "${shownRunId(runId)}"`,
  runId,
  medium,
});

/** A PULSE_STORE error for a medium that cannot do what the store needs. `found` says what it did, and what helps. */
export function refusal(doing: Doing, found: string, systemCode?: string, cause?: unknown): PulseError<"PULSE_STORE"> {
  return new PulseError("PULSE_STORE", `${doing.what}: ${found}; at ${doing.medium}`, {
    details: {
      runId: doing.runId,
      next: "mend-store",
      medium: doing.medium,
      ...(systemCode === undefined ? {} : { systemCode }),
    },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A PULSE_CORRUPT error: `where` is the place in the medium, `found` what is wrong there, `helps` what to do about it. */
export function corrupt(
  runId: string,
  where: string,
  found: string,
  helps = "restore the run from a backup",
): PulseError<"PULSE_CORRUPT"> {
  return new PulseError("PULSE_CORRUPT", `reading run "${shownRunId(runId)}": ${where}: ${found}; ${helps}`, {
    details: { runId, next: "restore-backup", where },
  });
}

/** A PULSE_USAGE error for a call that the store contract does not allow. */
export function usage(runId: string, rule: string, message: string, next?: NextStep): PulseError<"PULSE_USAGE"> {
  return new PulseError("PULSE_USAGE", message, {
    details: { rule, runId, ...(next === undefined ? {} : { next }) },
  });
}

/** A PULSE_USAGE error for a call after `close` (STORE-2). `what` is the call: `saving`. */
export const closedSession = (what: string, runId: string): PulseError<"PULSE_USAGE"> =>
  usage(runId, "STORE-2", `${what} run "${shownRunId(runId)}": the session is closed; acquire the run again`, "resume");

/** A PULSE_NOT_FOUND error: nothing was ever saved under this run id (STORE-3). */
export const notFound = (runId: string): PulseError<"PULSE_NOT_FOUND"> =>
  new PulseError("PULSE_NOT_FOUND", `loading run "${shownRunId(runId)}": there is no such run; start it first`, {
    details: { runId, next: "start" },
  });

/** A PULSE_BUSY error: somebody else owns the run (STORE-1). `holder` in words: `process 12 on host-a`. */
export const busy = (what: string, runId: string, holder: string): PulseError<"PULSE_BUSY"> =>
  new PulseError("PULSE_BUSY", `${what} run "${shownRunId(runId)}": ${holder} owns it; try later`, {
    details: { runId, next: "later", holder },
  });

/** A PULSE_OWNERSHIP_LOST error: a newer owner was seen (STORE-6). `what` was being done: `loading`. */
export const ownershipLost = (runId: string, epoch?: number, what = "saving"): PulseError<"PULSE_OWNERSHIP_LOST"> =>
  new PulseError(
    "PULSE_OWNERSHIP_LOST",
    `${what} run "${shownRunId(runId)}": somebody else took it over${epoch === undefined ? "" : ` from epoch ${epoch}`}; resume it when that one has let go`,
    { details: { runId, next: "resume", ...(epoch === undefined ? {} : { epoch }) } },
  );

/** A PULSE_CONFLICT error: nothing was changed (STORE-3). `what` disagrees: `revision`. */
export const conflict = (
  runId: string,
  what: string,
  expected: unknown,
  found: unknown,
): PulseError<"PULSE_CONFLICT"> =>
  new PulseError(
    "PULSE_CONFLICT",
    `saving run "${shownRunId(runId)}": ${what} ${String(expected)} was expected, found ${String(found)}; nothing was saved, load the run again`,
    { details: { what, runId, next: "resume", expected, found } },
  );
