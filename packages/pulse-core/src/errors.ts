/**
 * The one error class of Pulse and the closed set of its codes (00-overview, Errors; CORE-34).
 *
 * A package above core adds its codes by extending {@link PulseErrorDetails}:
 *
 * ```ts no-run
 * declare module "@pulse-ts/core/errors" {
 *   interface PulseErrorDetails {
 *     PULSE_BUSY: RunDetails;
 *   }
 * }
 * ```
 */

/** One thing that is wrong with a graph, its inputs or its options (CORE-26). */
export interface Problem {
  readonly code: ProblemCode;
  /** Says what was found, where, and what helps. */
  readonly message: string;
  /** The path of the node or mount the problem stands at, the graph's name first: `order/price`. */
  readonly path: string;
  /** Both ends of a bad connection: node paths, key names. */
  readonly ends?: readonly string[];
  /** The name that was probably meant. */
  readonly suggestion?: string;
  /** What the schema said, for an input that does not fit. */
  readonly issues?: readonly unknown[];
}

/** The codes of {@link Problem}. Each has a page in `docs/errors/`. */
export type ProblemCode =
  | "PULSE_NAME_INVALID"
  | "PULSE_NODE_DUPLICATE"
  | "PULSE_KEY_CONFLICT"
  | "PULSE_KEY_REPEATED"
  | "PULSE_KEY_UNPROVIDED"
  | "PULSE_KEY_DUPLICATE_PROVIDER"
  | "PULSE_CYCLE"
  | "PULSE_OUTPUT_UNPROVIDED"
  | "PULSE_OUTPUT_UNREACHABLE"
  | "PULSE_MOUNT_INPUT_MISSING"
  | "PULSE_MOUNT_INPUT_UNKNOWN"
  | "PULSE_MOUNT_INPUT_TWICE"
  | "PULSE_MOUNT_OUTPUT_UNKNOWN"
  | "PULSE_MOUNT_TYPE"
  | "PULSE_INPUT_MISSING"
  | "PULSE_INPUT_UNKNOWN"
  | "PULSE_INPUT_INVALID"
  | "PULSE_INPUT_ASYNC"
  | "PULSE_OPTION_INVALID"
  | "PULSE_OVERRIDE_UNKNOWN"
  | "PULSE_PLAN_INVALID"
  | "PULSE_STREAM_UNREAD"
  | "PULSE_STREAM_HIDDEN"
  | "PULSE_STREAM_RETRIED"
  | "PULSE_STREAM_DEADLOCK"
  | "PULSE_DEFINITION_INVALID";

/** Where in a graph something happened. */
export interface NodeDetails {
  /** The node's path in the execution: `mount/inner/node` (CORE-23). */
  readonly path?: string;
  readonly key?: string;
}

/** What stands beside the first failure of an execution. */
export interface EndDetails {
  /** The path of the node that failed first. */
  readonly path?: string;
  readonly runId?: string;
  /** The later failures, in the order in which they came. None is lost (CORE-11). */
  readonly others: readonly unknown[];
  /** The paths of nodes whose bodies had not settled when `drainTimeout` was over (CORE-30). */
  readonly abandoned: readonly string[];
}

/** For each code the type of `details`. Packages above core extend it by declaration merging. */
export interface PulseErrorDetails {
  PULSE_INVALID: { readonly problems: readonly Problem[]; readonly runId?: string; readonly next?: string };
  PULSE_USAGE: NodeDetails & { readonly rule: string; readonly runId?: string; readonly next?: string };
  PULSE_SKIPPED: NodeDetails;
  PULSE_NO_VALUE: NodeDetails;
  PULSE_TIMEOUT: NodeDetails & { /** Milliseconds. */ readonly timeoutMs: number };
  PULSE_INTERRUPTED: EndDetails & { readonly next?: string };
  PULSE_EXECUTION_FAILED: EndDetails;
  PULSE_STREAM_FAILED: NodeDetails;
  PULSE_STREAM_CANCELED: NodeDetails;
  PULSE_CHECKPOINT: EndDetails & { readonly hook?: string; readonly next?: string };
  PULSE_CHECKPOINT_NOT_STARTED: NodeDetails;
  PULSE_CHECKPOINT_SCOPE_FAILED: { readonly scope: string };
}

/** Every code that a {@link PulseError} can have. */
export type PulseErrorCode = keyof PulseErrorDetails;

/** Survives two copies of the package in one program: the registry of symbols is shared (CORE-34). */
const brand = Symbol.for("@pulse-ts/error");

export interface PulseErrorOptions<Code extends PulseErrorCode> {
  readonly details: PulseErrorDetails[Code];
  readonly cause?: unknown;
}

/** All that Pulse throws on purpose. Tell one from another with {@link isPulseError}, never by class or text. */
export class PulseError<Code extends PulseErrorCode = PulseErrorCode> extends Error {
  override readonly name = "PulseError";
  readonly code: Code;
  readonly details: PulseErrorDetails[Code];
  readonly [brand] = true;

  constructor(code: Code, message: string, options: PulseErrorOptions<Code>) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details;
  }
}

/**
 * Tells whether `error` was thrown by Pulse, with this code if one is given, and narrows `details`.
 * Works across copies of the package and across realms; never throws, whatever it is given (CORE-34).
 */
export function isPulseError<Code extends PulseErrorCode = PulseErrorCode>(
  error: unknown,
  code?: Code,
): error is PulseError<Code> {
  try {
    return (
      typeof error === "object" &&
      error !== null &&
      (error as { [brand]?: unknown })[brand] === true &&
      (code === undefined || (error as PulseError).code === code)
    );
  } catch {
    // A proxy whose traps throw is nobody's PulseError.
    return false;
  }
}
