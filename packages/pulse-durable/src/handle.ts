import type { AnyGraph, OutcomeOf, Snapshot } from "@pulse-ts/core";

/** A run that has started in this process (DUR-24). */
export interface RunHandle<Graph extends AnyGraph = AnyGraph> extends AsyncDisposable {
  readonly runId: string;
  /**
   * Settles when the run has ended in this process and its session is closed. Of a completed run that the host has still to
   * read it settles before: the session stays open until the rest is acknowledged, the host has stopped reading, `close()` is
   * called, or the run's `signal` is aborted (STR-53).
   * @throws PULSE_RUN_FAILED with the first failure as `cause`; PULSE_INTERRUPTED; PULSE_CHECKPOINT when it could not be recorded
   */
  wait(): Promise<OutcomeOf<Graph>>;
  /** Interrupts the run: what was active stays active, and a resume goes on (CORE-46). */
  cancel(reason?: unknown): void;
  /** Every node's and port's state, without values (CORE-33). */
  snapshot(): Snapshot;
  /** Interrupts the run if it has not ended, gives up what the host has not read of one that has, and settles when its session is closed. Never rejects for how the run ended. */
  close(): Promise<void>;
}
