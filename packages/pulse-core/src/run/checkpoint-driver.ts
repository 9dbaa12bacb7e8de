import type { HookCall, RestorePlan } from "../checkpoint/hooks.ts";
import type { StreamHooks } from "../checkpoint/stream-hooks.ts";
import type { ExecutionState } from "./execution-state.ts";
import type { NodeContext } from "./node-context.ts";
import type { SlotState } from "./slot.ts";

/**
 * Whose signals cover a stream's hook call (CKPT-9, CKPT-30, CKPT-34): those of a level of a chain, of an execution, or of what
 * is above the execution alone.
 */
export type Covering =
  | { readonly level: NodeContext }
  | { readonly execution: ExecutionState; readonly path: string }
  | { readonly above: ExecutionState; readonly path: string };

/**
 * What makes an execution reliable. Core's engine calls it where a checkpoint belongs; the code behind it comes in with
 * `@pulse-ts/core/checkpoint` alone, so that graphs in memory do not carry it (CORE-39).
 */
export interface CheckpointDriver {
  readonly scope: string;
  /** There if the streams of this tree are reliable too; a graph with a stream key needs them (CKPT-8). */
  readonly streamHooks: StreamHooks | undefined;
  /** The plan of an execution holds this stream, by its writer's path and its key's name. */
  restores(execution: ExecutionState, path: string, key: string): boolean;
  /** Set once a hook has failed: nothing in the tree can become a success (CKPT-12). */
  readonly failure: { readonly cause: unknown; readonly hook: string } | undefined;
  /** Admits one call of a stream hook, in the step of this call; what it throws is an interruption or latched (CKPT-11). */
  ask<Result>(hook: string, by: Covering, call: (covered: HookCall) => Promise<Result>): Promise<Result>;
  /** Runs one node: attempt, chain, commit, publication (CKPT-1). Never throws. */
  runNode(level: NodeContext, skipped: boolean): void;
  /** Opens the next try of a retry; throws for an exhausted one (CKPT-32). */
  openTry(level: NodeContext, place: number, limit: number): Promise<number>;
  /** Confirms that a try failed (CKPT-34). */
  failTry(level: NodeContext, error: unknown): Promise<void>;
  /** Opens a mount's child scope and prepares the child for it (CKPT-13, CKPT-23). */
  openChild(level: NodeContext, child: ExecutionState): Promise<void>;
  /** A value passes between two keys of a mount's border (CODEC-18). */
  convert(value: unknown, from: ExecutionState, fromSlot: number, to: ExecutionState, toSlot: number): unknown;
  /** Latches a failure to read what was confirmed (REC-9); returns what to throw. */
  readFailed(cause: unknown): unknown;
  /** Takes a restore plan for the root, checked (CKPT-24). */
  plan(execution: ExecutionState, plan: RestorePlan): void;
  /** Installs the plan of an execution that starts, after checking it again (CKPT-38). Gives the restored node indices. */
  install(
    execution: ExecutionState,
    decide: (slot: number, state: SlotState, value: unknown) => void,
  ): readonly number[];
  /** Of a message of a handler one for each (DUR-25). */
  stable(
    scope: string,
    nodeId: string,
    path: string,
    message?: { readonly sourceId: string; readonly group: string; readonly sequence: number },
  ): string | undefined;
}
