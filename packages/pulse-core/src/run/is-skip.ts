import { isPulseError } from "../errors.ts";

/** True for the two signals that end a node without a failure (CORE-7, CORE-8). */
export const isSkip = (error: unknown): boolean =>
  isPulseError(error, "PULSE_SKIPPED") || isPulseError(error, "PULSE_NO_VALUE");
