/**
 * What a durable layer implements for streams (30-checkpoint-bridge.md, 20-streams.md from STR-21): six hooks and a
 * synchronous `prepare`. Core hands over what was prepared, and delivers what the hooks gave back (CKPT-36).
 */
import type { AnyKey } from "../key.ts";
import type { StreamKey } from "../streams/stream-key.ts";
import type { KeyType } from "../type.ts";
import type { ConfirmedOutput, HookCall, ReadValue } from "./hooks.ts";

/** A stream and the generation of this process's run of it (STR-21). */
export interface StreamRef {
  /** The same for all groups and aliases of one source. */
  readonly sourceId: string;
  readonly generation: number;
}

/** One group's account of a stream. */
export interface GroupRef extends StreamRef {
  readonly group: string;
}

/** A confirmed message. `read` is called once for each delivery to each group (CKPT-36). */
export interface ConfirmedMessage {
  readonly sequence: number;
  readonly read: ReadValue;
  /** Reads the position that was saved with it, as a resume would; absent: what was sent stands for it. */
  readonly position?: ReadValue;
}

/** A group as it is recorded (REC-11). */
export interface RestoredGroup {
  readonly name: string;
  /** The frontier: the highest sequence with nothing unacknowledged at or below it. */
  readonly ackedThrough: number;
  /** What it has not acknowledged, ascending. Each has its message in {@link RestoredStream.messages}. */
  readonly pending: readonly number[];
  readonly stopped: boolean;
}

/** A stream as it is recorded, or as it was just made. */
export interface RestoredStream extends StreamRef {
  /** The writing node's path in the run, and the name of its key: which stream of the definition it is. */
  readonly path: string;
  readonly key: string;
  /** The sequence of the last message. */
  readonly last: number;
  /** Reads the position that was saved last; absent when none was (STR-2). */
  readonly position?: ReadValue;
  /** `failed` only for the source of a confirmed alias: it holds no message and may not be opened (STR-27). */
  readonly end: "open" | "completed" | "failed";
  readonly groups: readonly RestoredGroup[];
  /** What some group has not acknowledged, ascending. */
  readonly messages: readonly ConfirmedMessage[];
}

/** The first opening of a stream by its writing node in this process. */
export interface StreamOpenRequest extends HookCall {
  readonly scope: string;
  readonly nodeId: string;
  /** The writing node's path. */
  readonly path: string;
  readonly key: AnyKey & StreamKey;
  /** The writing node's root attempt (STR-32). */
  readonly attempt: string;
  readonly resumable: boolean;
  /** Every group that reads it; `stopped` for one whose readers have all ended before. */
  readonly groups: readonly { readonly name: string; readonly stopped: boolean }[];
}

export interface OpenedStream extends RestoredStream {
  readonly state: "new" | "resumed";
}

/** A message as the writer gave it, each part as {@link StreamHooks.prepare} returned it. */
export interface PreparedMessage {
  readonly value: unknown;
  /** Only of `sendAt`. */
  readonly position?: { readonly value: unknown };
}

export interface AppendRequest extends StreamRef, HookCall {
  /** The sender's path. */
  readonly path: string;
  readonly key: AnyKey & StreamKey;
  readonly message: PreparedMessage;
}

/**
 * Why something was not confirmed, as an answer: neither is a reliable failure. `unread`: the last group has stopped, and
 * nothing was stored (STR-36). `failed`, `canceled`: the source has ended so (STR-43).
 */
export interface StreamRefusal {
  readonly refused: "unread" | "failed" | "canceled";
}

/** Asks which try of a message comes next (STR-24). Changes nothing. */
export interface MessageAttemptRequest extends GroupRef, HookCall {
  readonly sequence: number;
  /** The handling node. */
  readonly scope: string;
  readonly nodeId: string;
  readonly path: string;
  /** Its root attempt: the parent of the message's tries and of the managed record (STR-39). */
  readonly attempt: string;
  readonly limit: number;
  /** The type of the state as the handler declares it. */
  readonly stateType: KeyType | undefined;
}

export interface MessageAttempt {
  /** From 1. For an exhausted budget the limit. */
  readonly index: number;
  readonly exhausted: boolean;
  /** The last confirmed state; absent while none was set (STR-18). */
  readonly state?: ReadValue;
}

export interface FailMessageRequest extends MessageAttemptRequest {
  readonly index: number;
  readonly error: unknown;
}

/** What a handler staged for one message. */
export interface HandledMessage {
  readonly scope: string;
  readonly nodeId: string;
  readonly attempt: string;
  readonly index: number;
  readonly limit: number;
  /** The new state as it was prepared; absent: unchanged. */
  readonly state?: { readonly value: unknown };
  readonly values: readonly (
    | { readonly key: AnyKey; readonly state: "skipped" }
    | { readonly key: AnyKey; readonly state: "ready"; readonly value: unknown }
  )[];
  readonly sends: readonly (StreamRef & {
    readonly key: AnyKey & StreamKey;
    readonly messages: readonly PreparedMessage[];
  })[];
}

/**
 * One acknowledgement, a stop, or both: by a reader alone, by the host, or as a handler's transaction, which is confirmed
 * as a whole (REC-14).
 */
export interface StreamCommitRequest extends GroupRef, HookCall {
  /** The reader's path; empty for the host. */
  readonly path: string;
  /** The message that is acknowledged; absent for a stop alone. */
  readonly sequence?: number;
  readonly stop: boolean;
  readonly handled?: HandledMessage;
}

export interface StreamCommitted {
  /** The values of `handled`, as the node's outputs will have them. */
  readonly values: readonly ConfirmedOutput[];
  /** For each of `handled.sends` its messages; `undefined` where nobody reads that stream any more (STR-36). */
  readonly sends: readonly (readonly ConfirmedMessage[] | undefined)[];
}

/** A node that wrote streams has finally failed: its root attempt and the end of each of its streams (STR-25). */
export interface FinishRequest extends HookCall {
  readonly scope: string;
  readonly nodeId: string;
  readonly path: string;
  readonly attempt: string;
  readonly error: unknown;
}

/** What a part of a stream is before it is encoded. */
export type StreamPart =
  | { readonly kind: "message"; readonly key: AnyKey & StreamKey; readonly value: unknown }
  | { readonly kind: "position"; readonly key: AnyKey & StreamKey; readonly value: unknown }
  | { readonly kind: "state"; readonly type: KeyType | undefined; readonly value: unknown }
  | { readonly kind: "value"; readonly key: AnyKey; readonly value: unknown };

export interface StreamHooks {
  /** Settles when the stream is recognised or made and confirmed. One save at most (DUR-20). */
  open(request: StreamOpenRequest): Promise<OpenedStream>;
  /** Settles when the message and its position are confirmed; appends are numbered in the order of these calls. */
  append(request: AppendRequest): Promise<ConfirmedMessage | StreamRefusal>;
  openMessage(request: MessageAttemptRequest): Promise<MessageAttempt>;
  /** Settles when this failure is confirmed; only then may the next try begin. */
  failMessage(request: FailMessageRequest): Promise<void>;
  commit(request: StreamCommitRequest): Promise<StreamCommitted | StreamRefusal>;
  finish(request: FinishRequest): Promise<void>;
  /**
   * Synchronous: encodes one part before anything can change it (CKPT-28). What it throws is the sender's or the handler's
   * own failure, not a reliable one.
   */
  prepare?(part: StreamPart, path: string): unknown;
}

export const streamHookNames = ["open", "append", "openMessage", "failMessage", "commit", "finish"] as const;
export type StreamHookName = (typeof streamHookNames)[number];
