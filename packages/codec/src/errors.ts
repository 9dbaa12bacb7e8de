import { isPulseError, PulseError } from "@pulse-ts/core";

/** What a `PULSE_CODEC` error tells: which key, where inside its value, and why. */
export interface CodecDetails {
  /** The key's name, where the caller gave one. */
  readonly key?: string;
  /** The place inside the value: `lines[3].price`, `["a.b"]`, `<Map value 0>`. Empty for the value itself. */
  readonly path: string;
  /** What was found there, and what helps. */
  readonly reason: string;
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
}

/** Makes the `PULSE_CODEC` error of a refusal. */
export function codecError(refusal: Refusal): PulseError<"PULSE_CODEC"> {
  const { action, key, path, reason } = refusal;
  const what = action === "prepare" ? "make a codec for" : `${action} the value of`;
  const whose = key === undefined ? (action === "prepare" ? "this type" : "this type's key") : `key "${key}"`;
  const where = path === "" ? "" : ` at ${path}`;
  const details = key === undefined ? { path, reason } : { key, path, reason };
  const options = "cause" in refusal ? { details, cause: refusal.cause } : { details };
  return new PulseError("PULSE_CODEC", `cannot ${what} ${whose}${where}: ${reason}`, options);
}

/** Any error as a `PULSE_CODEC` one: what already is one stays, with the key's name added if it has none. */
export function asCodecError(error: unknown, refusal: Omit<Refusal, "cause">): PulseError<"PULSE_CODEC"> {
  if (!isPulseError(error, "PULSE_CODEC")) return codecError({ ...refusal, cause: error });
  if (error.details.key !== undefined || refusal.key === undefined) return error;
  const { path, reason } = error.details;
  return codecError({ action: refusal.action, key: refusal.key, path, reason, cause: error.cause });
}

/** What an error says, whatever was thrown. Never throws itself. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something that cannot be printed was thrown";
  }
}
