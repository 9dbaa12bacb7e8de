import { PulseError } from "../errors.ts";

/** What `openChild` throws for a scope in which a final failure is confirmed: itself, not wrapped, for exactly the requested scope (CKPT-13). */
export function scopeFailure(scope: string, path: string): PulseError<"PULSE_CHECKPOINT_SCOPE_FAILED"> {
  return new PulseError(
    "PULSE_CHECKPOINT_SCOPE_FAILED",
    `the graph mounted at "${path}" failed before this process began`,
    {
      details: { scope },
    },
  );
}
