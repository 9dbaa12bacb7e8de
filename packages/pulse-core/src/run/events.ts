/** What observers see (CORE-32). */

interface EventHead {
  /** The execution that the event belongs to; a mounted child has one of its own. */
  readonly executionId: string;
  /** Rises by one with each event of a whole tree of executions, from 1. */
  readonly sequence: number;
  /** Milliseconds since the epoch, by the host's clock. */
  readonly time: number;
  /** The node's path; for an execution the mount's path, empty at the root. */
  readonly path: string;
}

/** Why a node finished. */
export type NodeReason = "completed" | "skipped" | "failed" | "canceled";

export type PulseEvent = EventHead & EventBody;

export type EventBody =
  | { readonly kind: "execution-started"; readonly name: string; readonly graph: string }
  | { readonly kind: "node-waiting" }
  | { readonly kind: "node-running" }
  /** One try of a retry failed. `attempt` from 1. */
  | { readonly kind: "attempt-failed"; readonly attempt: number; readonly error: unknown }
  | {
      readonly kind: "node-finished";
      readonly reason: NodeReason;
      /** What a failed or canceled node threw. */
      readonly error?: unknown;
      /** The node was confirmed before this execution started (CKPT-25). */
      readonly restored?: true;
      /** The node's keys were replaced for this execution (CORE-50). */
      readonly overridden?: true;
    }
  /** A node opened a stream; the path is the writing node's in this and the next two (STR-13). */
  | { readonly kind: "stream-opened"; readonly key: string }
  /** A group reads no more, before it had the end (STR-9). */
  | { readonly kind: "stream-stopped"; readonly key: string; readonly group: string }
  /** A stream that was opened has ended (STR-4). */
  | {
      readonly kind: "stream-ended";
      readonly key: string;
      readonly reason: "completed" | "failed" | "canceled";
      readonly error?: unknown;
    }
  | { readonly kind: "child-created"; readonly childId: string; readonly graph: string }
  /** A body that a timeout had given up on ended after all, or failed (CORE-15). */
  | { readonly kind: "late-settled"; readonly error?: unknown }
  /** An observer threw or rejected; reported once to the others (CORE-32). */
  | { readonly kind: "observer-failed"; readonly error: unknown }
  | {
      readonly kind: "execution-finished";
      readonly reason: "completed" | "failed" | "interrupted";
      readonly error?: unknown;
    };

/** May be async: it is never awaited, and its rejection is handled like a throw (CORE-44). */
export type Observer = (event: PulseEvent) => unknown;
