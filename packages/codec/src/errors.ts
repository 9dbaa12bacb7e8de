import { isPulseError, PulseError } from "@pulse-ts/core";

/** What a `PULSE_CODEC` error tells: which key, where inside its value, and why. */
export interface CodecDetails {
  /** The key's name, where the caller gave one. */
  readonly key?: string;
  /** The place inside the value: `lines[3].price`, `["a.b"]`, `<Map value 0>`. Empty for the value itself. */
  readonly path: string;
  /** What was found there, and what helps. */
  readonly reason: string;
  /** The id of the encryption key that is missing, or that does not open the bytes (CODEC-11). */
  readonly keyId?: string;
  /** True when the key ring has no key of that id: nothing is damaged, and the ring needs the key. */
  readonly keyMissing?: boolean;
  readonly runId?: string;
  /** What to do next, where there is one thing to do. */
  readonly next?: string;
}

/** What a `PULSE_CONFLICT` error tells: what is there already. */
export interface ConflictDetails {
  /** What conflicts: `"codec type"`, `"codec id"`, … */
  readonly what: string;
  readonly runId?: string;
  readonly next?: string;
  readonly expected?: unknown;
  readonly found?: unknown;
}

declare module "@pulse-ts/core/errors" {
  interface PulseErrorDetails {
    PULSE_CODEC: CodecDetails;
    PULSE_CONFLICT: ConflictDetails;
  }
}

/** What a codec was doing, for messages. */
export type CodecAction = "encode" | "decode" | "prepare";

/** Where and why a codec refuses. */
export interface Refusal {
  readonly action: CodecAction;
  readonly key: string | undefined;
  readonly path: string;
  readonly reason: string;
  readonly cause?: unknown;
  readonly keyId?: string;
  readonly keyMissing?: boolean;
  /** True when the reason holds nothing of the value, so that it may also be told of one that is to be encrypted (CODEC-11). */
  readonly tellsNothing?: boolean;
}

/** Errors whose reasons hold nothing of the value. */
const tellingNothing = new WeakSet<object>();

/** Makes the `PULSE_CODEC` error of a refusal. */
export function codecError(refusal: Refusal): PulseError<"PULSE_CODEC"> {
  const { action, key, path, reason, keyId, keyMissing } = refusal;
  const what = action === "prepare" ? "make a codec for" : `${action} the value of`;
  const whose = key === undefined ? (action === "prepare" ? "this type" : "this type's key") : `key "${key}"`;
  const where = path === "" ? "" : ` at ${path}`;
  const details = {
    ...(key === undefined ? undefined : { key }),
    path,
    reason,
    ...(keyId === undefined ? undefined : { keyId }),
    ...(keyMissing === undefined ? undefined : { keyMissing }),
  };
  const options = "cause" in refusal ? { details, cause: refusal.cause } : { details };
  const error = new PulseError("PULSE_CODEC", `cannot ${what} ${whose}${where}: ${reason}`, options);
  if (refusal.tellsNothing === true) tellingNothing.add(error);
  return error;
}

/** Any error as a `PULSE_CODEC` one: what already is one stays, with the key's name added if it has none. */
export function asCodecError(error: unknown, refusal: Omit<Refusal, "cause">): PulseError<"PULSE_CODEC"> {
  if (!isPulseError(error, "PULSE_CODEC")) return codecError({ ...refusal, cause: error });
  if (error.details.key !== undefined || refusal.key === undefined) return error;
  const { action, key } = refusal;
  const tellsNothing = tellingNothing.has(error);
  const cause = "cause" in error ? { cause: error.cause } : undefined;
  return codecError({ ...error.details, action, key, tellsNothing, ...cause });
}

/**
 * What a codec said about a value of which a part is encrypted, fit for logs: with other words and without the cause, which
 * may show parts of the value. A reason that holds nothing of it is kept, such as a limit (CODEC-11).
 */
export function keptBack(error: unknown, refusal: Omit<Refusal, "cause">): PulseError<"PULSE_CODEC"> {
  const told = isPulseError(error, "PULSE_CODEC") && tellingNothing.has(error) ? error.details : undefined;
  const { action, key, path } = refusal;
  return codecError({ ...refusal, ...told, action, key, path, tellsNothing: true });
}

/** What an error says, whatever was thrown. Never throws itself. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something that cannot be printed was thrown";
  }
}
