import type { Report } from "../check/problem.ts";
import type { Problem } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import type { GroupRef, RestoredStream, StreamRef } from "../checkpoint/stream-hooks.ts";
import type { AnyGraph } from "../mount.ts";
import type { StreamReader } from "../streams/reader.ts";
import type { StreamSnapshot } from "../streams/snapshot.ts";
import type { StreamWriter } from "../streams/writer.ts";
import type { NodeReason } from "./events.ts";
import type { ExecutionState } from "./execution-state.ts";
import type { ReceivedInput } from "./inputs.ts";
import type { NodeContext } from "./node-context.ts";
import type { ExecutionOptions } from "./options.ts";
import type { Confirmed, SlotState } from "./slot.ts";

/** What stands behind every stream key. The engine meets streams here alone; the code comes in with the keys (CORE-39). */
export interface StreamKind {
  /** Reports what is wrong with the streams of a graph that is sound otherwise. */
  check(graph: AnyGraph, report: Report): void;
  /** The streams of one execution and its children. What is wrong before the start is added to `problems`. */
  driver(
    root: ExecutionState,
    options: ExecutionOptions,
    received: ReadonlyMap<string, ReceivedInput>,
    problems: Problem[],
  ): StreamDriver;
}

/** The streams of one tree of executions. */
export interface StreamDriver {
  /** Refuses a start without the readers that it needs (STR-11). */
  start(): void;
  open(level: NodeContext, key: AnyKey): Promise<StreamWriter<unknown>>;
  subscribe(key: AnyKey, options: { readonly group?: string } | undefined): StreamReader<unknown>;
  /** The host's groups so far, each once, by the writer's path and the name of its key. */
  subscriptions(): readonly { readonly path: string; readonly key: string; readonly group: string }[];
  /** What a body sees of a required stream; `undefined` for what is no stream. */
  reader(level: NodeContext, slot: number): StreamReader<unknown> | undefined;
  /** A key is written: true for a stream that passes a mount, which is never held back. Throws for what may not be written. */
  passes(level: NodeContext, slot: number, state: SlotState, value: unknown): boolean;
  /** Whether this is what `handleMessages` resolved with: it stands for a key that its handlers may have written. */
  settles(value: unknown): boolean;
  /** A body begins at this level. */
  begin(level: NodeContext): void;
  /** With checkpoints: what its node has asked of streams without waiting for it has been answered; `undefined`: nothing is open. */
  settled(level: NodeContext): Promise<void> | undefined;
  /** A chain has ended: the failure that its streams make of it, if any. */
  verdict(level: NodeContext, thrown?: { readonly error: unknown }): { readonly thrown: unknown } | undefined;
  /** A node has finished. */
  finish(level: NodeContext, reason: NodeReason, error: { readonly error: unknown } | undefined): void;
  /**
   * An execution with restored nodes starts: makes its streams, or finds those that another execution has restored. Puts what
   * is open into its writers' keys, and gives every one by its source's id, for the keys of restored nodes.
   */
  restore(execution: ExecutionState, streams: readonly RestoredStream[]): ReadonlyMap<string, Confirmed>;
  /** The recorded stream that stands in a key, once it is open. */
  refAt(execution: ExecutionState, slot: number): StreamRef | undefined;
  /** How a stream of a plan differs from what is restored of it already, if it does (STR-12). */
  differs(stream: RestoredStream): string | undefined;
  /** It has opened a stream: its failure is confirmed with theirs (STR-25). */
  hasOpened(level: NodeContext): boolean;
  /** With checkpoints: the failure of a node was confirmed, or (`undefined`) was not. Its readers see it now. */
  endFailed(level: NodeContext, failure: { readonly error: unknown } | undefined): void;
  /**
   * Nodes and mounts that may leave the same group are confirmed one after the other: only so the last one knows that it is.
   * Waits for this one's turn, and gives what ends it; `undefined`: it leaves nothing.
   */
  turnToLeave(level: NodeContext): Promise<() => void> | undefined;
  /** The groups that leave with a node or a mount while something is unread (STR-44). */
  leaving(level: NodeContext): readonly GroupRef[];
  /** An execution has ended. */
  ended(execution: ExecutionState): void;
  /** The streams whose writers are in this execution. */
  snapshot(execution: ExecutionState): readonly StreamSnapshot[];
}
