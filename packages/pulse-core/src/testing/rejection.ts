import { isPulseError, type PulseError, type PulseErrorCode } from "../errors.ts";

/** What a promise rejects with; fails the test if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a rejection, got ${JSON.stringify(value)}`);
}

/** What a promise rejects with, which must be a PulseError of this code. */
export async function rejectionOf<Code extends PulseErrorCode>(
  promise: Promise<unknown>,
  code: Code,
): Promise<PulseError<Code>> {
  return expectCode(await rejection(promise), code);
}

/** Narrows to a PulseError of this code; throws what it got otherwise. */
export function expectCode<Code extends PulseErrorCode>(error: unknown, code: Code): PulseError<Code> {
  if (isPulseError(error, code)) return error;
  throw error;
}

/** What a function throws; fails the test if it returns. */
export function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("expected a throw");
}
