import type { PulseEvent } from "@pulse-ts/core";

interface RunEventHead {
  readonly runId: string;
  /** Milliseconds since the epoch, by the host's clock. */
  readonly time: number;
}

/** What a durable run adds to the events of its execution (DUR-13). */
export type RunEvent = RunEventHead & RunEventBody;

/** Told apart by `kind`. */
export type RunEventBody =
  /** A new run is recorded; nothing of it has run. */
  | { readonly kind: "run-opened"; readonly graph: string; readonly version: string; readonly revision: number }
  /** A run was found and checked; nothing of this resume has run. The counts are of what the record holds. */
  | {
      readonly kind: "run-resumed";
      readonly revision: number;
      /** Resumes before this one that saved something (DUR-28). */
      readonly resumes: number;
      readonly scopes: number;
      /** Confirmed nodes, those of void scopes included. */
      readonly nodes: number;
      readonly attempts: number;
      /** Streams, whatever groups they have; those that have ended and those of void scopes included. */
      readonly streams: number;
      /** Messages that some group has not acknowledged. */
      readonly messages: number;
    }
  | {
      readonly kind: "run-saved";
      readonly revision: number;
      /** Entries that were put or deleted. */
      readonly changes: number;
      /** The entries' JSON and their values' bytes; what a store makes of them may be longer. */
      readonly bytes: number;
      readonly durationMs: number;
    }
  /**
   * The session is closed: the last event of this run in this process. Of a completed run that the host has still to read
   * it comes when that is done, or given up (STR-53).
   */
  | {
      readonly kind: "run-stopped";
      readonly reason: "completed" | "failed" | "interrupted" | "error";
      readonly error?: unknown;
    }
  /** An observer threw or rejected on an event of this list; told once to the others. */
  | { readonly kind: "run-observer-failed"; readonly error: unknown };

/** Sees the events of the execution and those of the run. May be async: it is never awaited (CORE-44). */
export type RunObserver = (event: PulseEvent | RunEvent) => unknown;
