import { isPulseError, PulseError } from "@pulse-ts/core";
import type { NextStep } from "../errors.ts";
import { failureText } from "./hooks.ts";

/**
 * What an execution ended with, as its run tells it: the run's id and what the host can do next in `details` (DUR-12);
 * the cause stays the very value that was thrown (CORE-43). Anything else is given back as it is.
 */
export function runError(error: unknown, runId: string): unknown {
  if (isPulseError(error, "PULSE_EXECUTION_FAILED")) {
    const { path, others, abandoned } = error.details;
    return runFailed({ runId, path, others, abandoned, ...causeOf(error) });
  }
  if (isPulseError(error, "PULSE_INTERRUPTED")) {
    const { details } = error;
    return new PulseError("PULSE_INTERRUPTED", `run "${runId}" was interrupted; resume it to go on`, {
      details: { ...details, runId, next: "resume" },
      ...causeOf(error),
    });
  }
  if (isPulseError(error, "PULSE_CHECKPOINT")) {
    const { details, cause } = error;
    const next = nextOf(cause) ?? "resume";
    return new PulseError(
      "PULSE_CHECKPOINT",
      `run "${runId}" stopped, because it could not be recorded: ${failureText(cause)}`,
      {
        details: { ...details, runId, next },
        ...causeOf(error),
      },
    );
  }
  return error;
}

export interface RunFailure {
  readonly runId: string;
  readonly path?: string | undefined;
  readonly others: readonly unknown[];
  readonly abandoned: readonly string[];
  /** What the first failing node threw; not there when the run failed in an earlier process (DUR-3). */
  readonly cause?: unknown;
  /** Its text, if the record kept it. */
  readonly text?: string;
}

/** A run that has finally failed: its id is used up (CKPT-21). */
export function runFailed({
  runId,
  path,
  others,
  abandoned,
  text,
  ...cause
}: RunFailure): PulseError<"PULSE_RUN_FAILED"> {
  const place = path === undefined ? "" : ` at node "${path}"`;
  const said = "cause" in cause ? failureText(cause.cause) : text;
  const why = said === undefined ? "" : `: ${said}`;
  return new PulseError(
    "PULSE_RUN_FAILED",
    `run "${runId}" has failed${place}${why}; a new attempt at it needs a new run id`,
    {
      details: { runId, next: "new-run-id", ...(path === undefined ? {} : { path }), others, abandoned },
      ...cause,
    },
  );
}

/** What a store threw: its own PulseErrors as they are, anything else as PULSE_STORE (DUR-12). */
export function storeError(error: unknown, runId: string, doing: string): unknown {
  if (isPulseError(error)) return error;
  return new PulseError(
    "PULSE_STORE",
    `${doing} run "${runId}": the store failed: ${failureText(error)}; mend it, then resume`,
    {
      details: { runId, next: "mend-store", medium: "store" },
      cause: error,
    },
  );
}

/** The host ended the call before anything of the run was started. */
export function notBegun(runId: string, next: NextStep, reason: unknown): PulseError<"PULSE_INTERRUPTED"> {
  return new PulseError("PULSE_INTERRUPTED", `run "${runId}" was interrupted before it began`, {
    details: { runId, next, others: [], abandoned: [] },
    cause: reason,
  });
}

function causeOf(error: Error): { readonly cause?: unknown } {
  return "cause" in error ? { cause: error.cause } : {};
}

function nextOf(cause: unknown): string | undefined {
  if (!isPulseError(cause)) return undefined;
  const { next } = cause.details as { readonly next?: unknown };
  return typeof next === "string" ? next : undefined;
}
