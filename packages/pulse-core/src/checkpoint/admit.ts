import { isPulseError, PulseError } from "../errors.ts";
import { interruption } from "../run/signals.ts";
import type { HookCall } from "./hooks.ts";
import type { Latch } from "./latch.ts";

/** The signals that cover one hook call (CPKT-9, CKPT-10). */
export interface Cover {
  readonly path: string;
  /** Business or control signal aborted: nothing may begin. */
  readonly aborted: boolean;
  readonly reason: unknown;
  /** The control signal, made when a hook reads it. */
  readonly controlSignal: AbortSignal;
}

/**
 * Admits one hook call: looks at the signals and enters it in one synchronous step (00-overview, "admitted call").
 * Throws an interruption when the call was not admitted, or did not start (CKPT-11); anything else latches the tree.
 */
export async function admit<Result>(
  latch: Latch,
  hook: string,
  cover: Cover,
  call: (covered: HookCall) => Promise<Result>,
): Promise<Result> {
  if (latch.failure !== undefined) throw latch.error();
  if (cover.aborted) throw interruption(cover.path, cover.reason);
  try {
    return await call({
      get signal() {
        return cover.controlSignal;
      },
    });
  } catch (error) {
    if (isPulseError(error, "PULSE_CHECKPOINT_NOT_STARTED") && cover.aborted)
      throw interruption(cover.path, cover.reason);
    throw latch.fail(hook, error);
  }
}

/** A hook's own word that it was cancelled before it handed anything to a store (CKPT-11). */
export function notStarted(path: string): PulseError<"PULSE_CHECKPOINT_NOT_STARTED"> {
  return new PulseError("PULSE_CHECKPOINT_NOT_STARTED", `at "${path}": cancelled before anything was saved`, {
    details: { path },
  });
}
