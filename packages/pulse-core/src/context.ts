import type { AnyKey, AnyOptionalKey, Key } from "./key.ts";
import type { StreamReader } from "./streams/reader.ts";
import type { Reading, StreamKey } from "./streams/stream-key.ts";
import type { StreamWriter } from "./streams/writer.ts";

declare const settled: unique symbol;

/** Stands in a body's result for a key that was already written with `set` or skipped with `skip`. */
export interface Settled {
  readonly [settled]: true;
}

/** Names a typed attachment of an execution (CORE-51). */
export interface AttachmentToken<Value> {
  readonly kind: "attachment";
  readonly name: string;
  readonly value?: Value;
}

/** What bodies and aspects have in common. */
export interface BaseContext {
  /** Aborted by fail-fast, by a timeout around this, and by the host; made when it is first read (CORE-35). */
  readonly signal: AbortSignal;
  /** The innermost retry's try, from 1. */
  readonly attempt: number;
  /** `mount/inner/node` (CORE-23). */
  readonly path: string;
  /** The id of the durable run, else of the root execution. */
  readonly runId: string;
  readonly executionId: string;
  /** Give it to the outside: the same over crashes, resumes and inner retries (DUR-25). */
  readonly idempotencyKey: string;
  /** What the host attached under this token. @throws PULSE_USAGE naming the token when it did not (CORE-51) */
  attachment<Value>(token: AttachmentToken<Value>): Value;
}

/** What a body gets beside the values. Its type carries the names of what the node requires and provides. */
export interface Context<Required extends string = string, Provided extends string = string> extends BaseContext {
  /**
   * Reads a required key, or one that this chain has written.
   * @throws PULSE_SKIPPED for a skipped key that is not optional (CORE-7); PULSE_USAGE for any other key (CORE-9)
   */
  get<Element>(key: StreamKey<Required, Element>): StreamReader<Element>;
  get<Value>(key: Key<Required | Provided, Value, unknown>): Value;
  /**
   * Writes early (CORE-10). Put the result into what the body returns.
   * @throws PULSE_USAGE for a key not provided or already written (CORE-9), or after the chain was given up (CORE-15)
   */
  set<Value>(key: Key<Provided, Value, unknown>, value: NoInfer<Value>): Settled;
  /**
   * Opens a stream that the node provides and gives its writer; its readers start (STR-1, STR-38). In a later try it is the
   * same stream (STR-32). One that is never opened is skipped.
   * @throws PULSE_USAGE for a key that is no stream of this node (CORE-9), or that it has skipped (CORE-42)
   */
  open<Element, Position>(key: StreamKey<Provided, Element, Position>): Promise<StreamWriter<Element, Position>>;
  /** Skips the whole node, by raising the no-value signal (CORE-8). */
  skip(): never;
  /** Skips one key. Put the result into what the body returns. */
  skip(key: Key<Provided, unknown, unknown>): Settled;
}

/** An entry of a node's `requires`, or of a graph's `inputs`. */
export type Requirement = AnyKey | AnyOptionalKey | Reading;
