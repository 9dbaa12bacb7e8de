import { PulseError } from "../errors.ts";

/** Raised inside a chain when the engine ends one of its waits: the chain was interrupted, it did not fail (CKPT-15). */
export function interruption(path: string, reason: unknown): PulseError<"PULSE_INTERRUPTED"> {
  // The host's readers are at no node.
  const error = new PulseError("PULSE_INTERRUPTED", `${path ? `node "${path}"` : "the execution"} was interrupted`, {
    cause: reason,
    details: { path, others: [], abandoned: [] },
  });
  interruptions.add(error);
  return error;
}

/** A body may run a graph of its own, whose interruption is that body's failure: so the engine's own are told by identity. */
const interruptions = new WeakSet<object>();

export const isInterruption = (error: unknown): boolean =>
  typeof error === "object" && error !== null && interruptions.has(error);

/** Raised by reading a skipped key that is not optional (CORE-7). */
export function skipSignal(path: string, key: string): PulseError<"PULSE_SKIPPED"> {
  return new PulseError("PULSE_SKIPPED", `node "${path}" read key "${key}", which is skipped`, {
    details: { path, key },
  });
}

/** Raised by `skip()` (CORE-8). */
export function noValueSignal(path: string): PulseError<"PULSE_NO_VALUE"> {
  return new PulseError("PULSE_NO_VALUE", `node "${path}" has no value`, { details: { path } });
}

/** A call by a node, or by an aspect around it, that the contract does not allow: `what` says what it did. */
export const misuse = (rule: string, path: string, what: string, key?: string): PulseError<"PULSE_USAGE"> =>
  usage(rule, `node "${path}" ${what}`, path, key);

/** A call that the contract does not allow (00-overview, Errors). */
export function usage(rule: string, message: string, path = "", key?: string): PulseError<"PULSE_USAGE"> {
  return new PulseError("PULSE_USAGE", message, { details: key === undefined ? { rule, path } : { rule, path, key } });
}
