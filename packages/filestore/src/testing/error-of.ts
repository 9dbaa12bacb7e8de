import { isPulseError } from "@pulse-ts/core";
import type { PulseError, PulseErrorCode } from "@pulse-ts/core";

/** The PulseError of this code that the promise rejects with; anything else is thrown on. */
export async function rejectionOf<Code extends PulseErrorCode>(
  code: Code,
  pending: Promise<unknown>,
): Promise<PulseError<Code>> {
  let value: unknown;
  try {
    value = await pending;
  } catch (error) {
    if (isPulseError(error, code)) return error;
    throw error;
  }
  throw new Error(`expected ${code}, but the call gave ${String(value)}`);
}

/** The PulseError of this code that the call throws; anything else is thrown on. */
export function errorOf<Code extends PulseErrorCode>(code: Code, call: () => unknown): PulseError<Code> {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    if (isPulseError(error, code)) return error;
    throw error;
  }
  throw new Error(`expected ${code}, but the call gave ${String(value)}`);
}
