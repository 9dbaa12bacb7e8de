import type { Codecs } from "@pulse-ts/codec";
import type { AnyGraph, Execution, ExecutionOptions, Host, OutcomeOf } from "@pulse-ts/core";
import type { RunObserver } from "./events.ts";
import type { Store } from "./store.ts";

/** What durable execution is made of. */
export interface DurableOptions {
  /** Keeps the records; closed by `close()`. */
  readonly store: Store;
  /** Default: `createCodecs()`. Schemas and tokens that it does not know get codecs of their own (CODEC-5). */
  readonly codecs?: Codecs;
  /** Clock, timers and randomness of all runs that are given none. Default: the system's. */
  readonly host?: Host;
}

/** The options of an execution, and what makes it a run (DUR-1). */
export interface RunOptions<Graph extends AnyGraph = AnyGraph> extends Omit<
  ExecutionOptions,
  "checkpoint" | "observers"
> {
  /** Names the run in its store; not empty, well-formed Unicode (REC-15). */
  readonly runId: string;
  /**
   * The host's business version; not empty. Change it when what functions do changes so that running runs must not go
   * on with it: the definition's fingerprint does not cover that (DUR-5). A run is resumed with the same one only (DUR-4).
   */
  readonly version: string;
  /** See the events of the execution and, told apart by `kind`, those of the run (DUR-13). */
  readonly observers?: readonly RunObserver[];
  /**
   * Called after the execution is built and before it starts; what it throws ends the call, and the run is as it was (DUR-24).
   * Here the host subscribes to streams (STR-37). Its groups are recorded: a resume must subscribe to each that has something
   * to read, and to none that the stream was opened without. The outcome does not wait for the host's reading. While a
   * completed run has a rest for it, the run stays owned by this process, until the rest is acknowledged, the reader stops, the
   * handle or the durable is closed, or `signal` is aborted; a later `resume` can read what is left (STR-53).
   */
  readonly beforeStart?: (execution: Execution<OutcomeOf<Graph>>) => void;
  /** On resume, fetch and decode every confirmed value before anything runs. Costs the whole record (REC-9, DUR-15). */
  readonly verify?: "all";
  /**
   * False: readers get the very object that was written. Faster, but readers see each other's changes to it, and after a
   * resume they see the confirmed value instead. Default: true, every reader decodes a value of its own (CODEC-9).
   */
  readonly isolate?: boolean;
  /**
   * How often the run may be resumed, from 0; then `resume` is refused with PULSE_RESUME_LIMIT until a higher number is given.
   * Default: no limit. Stops a run that keeps killing its process (DUR-11); so with it each resume costs one save more, which
   * counts it before any body runs (DUR-28). The number is of this call and is not recorded.
   */
  readonly maxResumes?: number;
  /** True: the record keeps the text of the failure that ends the run, for a later resume to tell. Default: false (DUR-3). */
  readonly keepFailure?: boolean;
}
