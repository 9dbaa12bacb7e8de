import { isPulseError } from "@pulse-ts/core";
import type { PulseError, PulseErrorCode } from "@pulse-ts/core";

/** The PulseError with this code that `action` throws; anything else is thrown on. */
export function errorOf<Code extends PulseErrorCode>(code: Code, action: () => unknown): PulseError<Code> {
  try {
    action();
  } catch (error) {
    if (isPulseError(error, code)) return error;
    throw error;
  }
  throw new Error(`expected ${code}, but nothing was thrown`);
}

/** The same for a promise. */
export async function rejectionOf<Code extends PulseErrorCode>(
  code: Code,
  promise: Promise<unknown>,
): Promise<PulseError<Code>> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  return errorOf(code, () => {
    if ("error" in outcome) throw outcome.error;
  });
}
