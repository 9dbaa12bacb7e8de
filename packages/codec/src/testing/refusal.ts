import { isPulseError, type PulseError } from "@pulse-ts/core";

/** The `PULSE_CODEC` error that `work` throws; any other outcome is thrown. */
export function refusal(work: () => unknown): PulseError<"PULSE_CODEC"> {
  try {
    work();
  } catch (error) {
    if (isPulseError(error, "PULSE_CODEC")) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Why it refuses. */
export function reasonOf(work: () => unknown): string {
  return refusal(work).details.reason;
}

/** The result of `work`, or `otherwise` when it is refused with a `PULSE_CODEC` error. */
export function unlessRefused<Result, Otherwise>(work: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return work();
  } catch (error) {
    if (isPulseError(error, "PULSE_CODEC")) return otherwise;
    throw error;
  }
}
