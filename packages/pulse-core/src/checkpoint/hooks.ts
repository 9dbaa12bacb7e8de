/**
 * What a durable layer implements (30-checkpoint-bridge.md). Core calls the hooks; it does not know what is behind them.
 * All are called outside engine state, possibly at once, in the async context of the node that caused them (CKPT-33).
 */
import type { AnyKey } from "../key.ts";
import type { GroupRef, RestoredStream, StreamHooks, StreamRef } from "./stream-hooks.ts";

/** Reads a confirmed value; called once for each try of each reading node (CKPT-36). */
export type ReadValue = () => unknown;

/** The covering signal of a hook call: made when it is first read (CORE-35). Not aborted by fail-fast (CKPT-9). */
export interface HookCall {
  readonly signal: AbortSignal;
}

/** Asks for the root attempt of a node's chain, or for one try of a retry inside it. */
export interface AttemptRequest extends HookCall {
  readonly scope: string;
  readonly nodeId: string;
  /** The node's path in the run, for messages. */
  readonly path: string;
  /** The scope for a root attempt, else the outer attempt's id. */
  readonly parent: string;
  /** Empty for a root attempt, else the retry's place in the effective chain (CKPT-20). */
  readonly boundary: string;
  /** 1 for a root attempt, else the retry's limit. */
  readonly limit: number;
}

/** An attempt, recognised or proposed (CKPT-19). */
export interface Attempt {
  readonly id: string;
  /** From 1. For an exhausted boundary the limit. */
  readonly index: number;
  /** The boundary's last try has failed for good: core makes no try (CKPT-32). */
  readonly exhausted: boolean;
  /**
   * Root attempts only: readers for those of the node's required keys that are inputs of the graph,
   * by key name, in place of what the host gave (CODEC-9).
   */
  readonly inputs?: ReadonlyMap<string, ReadValue>;
  /** Root attempts only: plain values that confirmed messages contributed. Room for streams (STR-28). */
  readonly values?: readonly ConfirmedOutput[];
}

/** Opens the scope of a mount's child graph for one attempt. The scope's id is the attempt's (REC-2). */
export interface ChildRequest extends HookCall {
  /** The deepest attempt around the mount's body: the child's scope. */
  readonly attempt: string;
  /** The scope that the mount itself runs in. */
  readonly parentScope: string;
  /** The mount's node id. */
  readonly nodeId: string;
  /** The child graph's name. */
  readonly graph: string;
  /** The mount's path in the run. */
  readonly path: string;
  /** `in` wiring: child input name and the parent key it is bound to. In order of the child's inputs. */
  readonly bindings: readonly { readonly input: string; readonly from: string }[];
  /** `fix` wiring: child input name, its key and the constant. */
  readonly fixed: readonly { readonly input: string; readonly key: AnyKey; readonly value: unknown }[];
}

export interface ChildScope {
  /** Readers for fixed inputs, by name; an input that is not named keeps what the mount gave. */
  readonly inputs?: ReadonlyMap<string, ReadValue>;
  /** What the scope has confirmed (CKPT-24). */
  readonly nodes: readonly RestoredNode[];
  /** As in {@link RestorePlan}. */
  readonly streams?: readonly RestoredStream[];
}

/** One output as a chain wrote it, before it is confirmed. */
export type WrittenOutput =
  | { readonly key: AnyKey; readonly state: "skipped" }
  /** `read` is there instead of a `value` when the output was passed on unchanged from a child (CODEC-18). */
  | { readonly key: AnyKey; readonly state: "ready"; readonly value: unknown; readonly read?: ReadValue }
  /** A stream that the chain opened, or a further name of one that passes a mount (STR-12). */
  | { readonly key: AnyKey; readonly state: "stream"; readonly stream: StreamRef };

/** One output as it is confirmed. */
export type ConfirmedOutput =
  | { readonly name: string; readonly state: "skipped" }
  | { readonly name: string; readonly state: "ready"; readonly read: ReadValue }
  | { readonly name: string; readonly state: "stream"; readonly sourceId: string };

/** A complete node, its verdict fixed (CKPT-5, CKPT-6). Outputs cover `provides` exactly, in its order. */
export interface NodeResult {
  readonly scope: string;
  readonly nodeId: string;
  readonly path: string;
  /** The root attempt. */
  readonly attempt: string;
  readonly reason: "completed" | "skipped";
  readonly outputs: readonly WrittenOutput[];
  /** The groups that leave with it, their rest unread: they are stopped in the same save (STR-44). */
  readonly stops?: readonly GroupRef[];
}

export interface CommitRequest extends NodeResult, HookCall {
  /** What {@link CheckpointHooks.prepare} returned for this node. */
  readonly prepared: unknown;
}

export interface CheckpointHooks {
  /** Recognises or makes an attempt. It need not be saved before something depends on it (DUR-10). */
  openAttempt(request: AttemptRequest): Promise<Attempt>;
  /** Settles when the real failure is confirmed; only then may the next try begin. */
  failAttempt(id: string, call: HookCall & { readonly error: unknown }): Promise<void>;
  /** Settles when the child scope is opened. May throw PULSE_CHECKPOINT_SCOPE_FAILED for exactly this scope (CKPT-13). */
  openChild(request: ChildRequest): Promise<ChildScope>;
  /** Settles when the complete node is confirmed; gives the outputs to publish, in the order of `provides`. */
  commit(request: CommitRequest): Promise<readonly ConfirmedOutput[]>;
  /**
   * Part of the check of the complete result (CKPT-35), and the one hook that is synchronous: encodes the outputs before
   * anything can change them (CKPT-28). What it throws is the node's own failure, not a reliable one (D13).
   */
  prepare?(result: NodeResult): unknown;
  /**
   * Synchronous: called when a value passes a mount's border between two keys of different types (CODEC-18);
   * gives the reader for the other side. What it throws fails the mount.
   */
  convert?(read: ReadValue, from: AnyKey, to: AnyKey): ReadValue;
  /** For graphs with streams: all six, or none (CKPT-8). */
  readonly streams?: StreamHooks;
}

/** What an execution is given to be reliable. Made by `checkpoint(…)` (CKPT-31). */
export interface CheckpointOptions {
  /** The persistent identity of the root graph in the run; not empty (CKPT-8). */
  readonly scope: string;
  readonly hooks: CheckpointHooks;
  /** `context.runId`; default: the execution's id. */
  readonly runId?: string;
  /**
   * Stable over crashes and inner retries, in a handler one for each message (DUR-25); default: made of the execution's id
   * and the path.
   */
  readonly idempotencyKey?: (
    scope: string,
    nodeId: string,
    message?: { readonly sourceId: string; readonly group: string; readonly sequence: number },
  ) => string;
}

/** One confirmed node of a restore plan (CKPT-24). */
export interface RestoredNode {
  readonly nodeId: string;
  readonly reason: "completed" | "skipped";
  /** Exactly one for each key that the node provides. `type` is the key's, by identity, where it is given. */
  readonly outputs: readonly (ConfirmedOutput & { readonly type?: unknown })[];
}

/** Given before the start, checked as a whole, installed by the start (CKPT-24, CKPT-38). */
export interface RestorePlan {
  readonly nodes: readonly RestoredNode[];
  /**
   * Each stream that a node of this graph has opened, and each that a restored node has under a further name: what is open
   * may be read before its writer runs again (CKPT-26).
   */
  readonly streams?: readonly RestoredStream[];
  /** Readers that take the place of what the host gave for root inputs, by name (CODEC-9). */
  readonly inputs?: ReadonlyMap<string, ReadValue>;
}
