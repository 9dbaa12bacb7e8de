import { isPulseError, PulseError } from "@pulse-ts/core";
import type { NextStep } from "../errors.ts";
import { shownRunId } from "../run-id.ts";
import { failureText } from "./failure-text.ts";

/**
 * What an execution ended with, as its run tells it: the run's id and what the host can do next in `details` (DUR-12);
 * the cause stays the very value that was thrown (CORE-43). Anything else is given back as it is. `deepest`: the node that
 * the record tells for the one at which the execution failed (DUR-3).
 */
export function runError(error: unknown, runId: string, deepest: (path: string) => string): unknown {
  if (isPulseError(error, "PULSE_EXECUTION_FAILED")) {
    const { path, others, abandoned } = error.details;
    return runFailed({ runId, path: path === undefined ? path : deepest(path), others, abandoned, ...causeOf(error) });
  }
  if (isPulseError(error, "PULSE_INTERRUPTED")) {
    const { details } = error;
    return new PulseError("PULSE_INTERRUPTED", `run "${shownRunId(runId)}" was interrupted; resume it to go on`, {
      details: { ...details, runId, next: "resume" },
      ...causeOf(error),
    });
  }
  if (isPulseError(error, "PULSE_CHECKPOINT")) {
    const { details, cause } = error;
    const next = nextOf(cause) ?? (isPulseError(cause) ? "resume" : "mend-store");
    const why = details.hook === "read" ? "a confirmed value could not be read" : "it could not be recorded";
    return new PulseError(
      "PULSE_CHECKPOINT",
      `run "${shownRunId(runId)}" stopped, because ${why}: ${failureText(cause)}`,
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
  /** The nodes that have failed, when it is not known which was the first. */
  readonly paths?: readonly string[];
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
  paths = [],
  others,
  abandoned,
  text,
  ...cause
}: RunFailure): PulseError<"PULSE_RUN_FAILED"> {
  const named = paths.map((one) => `"${one}"`).join(", ");
  const place = path !== undefined ? ` at node "${path}"` : named === "" ? "" : ` at nodes ${named}`;
  const said = "cause" in cause ? failureText(cause.cause) : text;
  const why = said === undefined ? "" : `: ${said}`;
  return new PulseError(
    "PULSE_RUN_FAILED",
    `run "${shownRunId(runId)}" has failed${place}${why}; a new attempt at it needs a new run id`,
    {
      details: { runId, next: "new-run-id", ...(path === undefined ? {} : { path }), others, abandoned },
      ...cause,
    },
  );
}

/**
 * What a store threw: a PulseError as it is, if it says whose run it is and what is next; anything else as PULSE_STORE
 * (DUR-12).
 */
export function storeError(error: unknown, runId: string, doing: string): PulseError {
  if (isPulseError(error)) return saysNext(error) ? error : named(error, { runId, next: "mend-store" }, error.message);
  return new PulseError(
    "PULSE_STORE",
    `${doing} run "${shownRunId(runId)}": the store failed: ${failureText(error)}; mend it, then call again: runOrResume goes on with what was recorded`,
    {
      details: { runId, next: "mend-store", medium: "store" },
      cause: error,
    },
  );
}

/** Does what asks the store alone. @throws what {@link storeError} makes of what it throws */
export async function askingStore<Result>(runId: string, doing: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error, runId, doing);
  }
}

/** Whose run a call was for, and what to call again when what was wrong with it is mended. */
export interface RunCall {
  readonly runId: string;
  readonly next: NextStep;
}

/**
 * Does what needs no store yet. What it refuses knows of no run: here its error gets the run's id and what can be done
 * next (DUR-12); code, problems and cause stay.
 */
export function namingRun<Result>(call: RunCall, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw refusedFor(call, error);
  }
}

function refusedFor(call: RunCall, error: unknown): unknown {
  if (!isPulseError(error)) return error;
  return named(error, call, `run "${shownRunId(call.runId)}" cannot begin: ${error.message}`);
}

/** The same error of a run: code, cause and all else that its details say stay. */
function named(error: PulseError, call: RunCall, message: string): PulseError {
  return new PulseError(error.code, message, { details: { ...error.details, ...call }, ...causeOf(error) });
}

function saysNext({ details }: PulseError): boolean {
  const { runId, next } = details as Partial<Record<keyof RunCall, unknown>>;
  return typeof runId === "string" && typeof next === "string";
}

/** The host ended the call before anything of the run was started. */
export function notBegun(runId: string, next: NextStep, reason: unknown): PulseError<"PULSE_INTERRUPTED"> {
  return new PulseError("PULSE_INTERRUPTED", `run "${shownRunId(runId)}" was interrupted before it began`, {
    details: { runId, next, others: [], abandoned: [] },
    cause: reason,
  });
}

function causeOf(error: Error): { readonly cause?: unknown } {
  return "cause" in error ? { cause: error.cause } : {};
}

function nextOf(cause: unknown): string | undefined {
  if (!isPulseError(cause)) return undefined;
  const { next } = cause.details as Partial<Record<keyof RunCall, unknown>>;
  return typeof next === "string" ? next : undefined;
}
