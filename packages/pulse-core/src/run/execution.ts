import { compile } from "../compile.ts";
import { PulseError } from "../errors.ts";
import type { Problem, PulseErrorCode, PulseErrorDetails } from "../errors.ts";
import type { InputsOf, Ports } from "../infer.ts";
import { invalid } from "../invalid.ts";
import type { AnyGraph } from "../mount.ts";
import type { StreamReader } from "../streams/reader.ts";
import type { StreamKey } from "../streams/stream-key.ts";
import type { Observer } from "./events.ts";
import { ExecutionState } from "./execution-state.ts";
import type { Stop } from "./stop.ts";
import { after } from "./host.ts";
import { textOf } from "./text-of.ts";
import { receiveInputs } from "./inputs.ts";
import type { ReceivedInput } from "./inputs.ts";
import { runChain } from "./node-run.ts";
import { checkOptions } from "./options.ts";
import type { ExecutionOptions } from "./options.ts";
import { outcomeOf } from "./outcome.ts";
import type { Outcome, OutcomeOf } from "./outcome.ts";
import { usage } from "./signals.ts";
import { ready, skippedState } from "./slot.ts";
import { snapshotOf } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { Tree } from "./tree.ts";

/** One running instance of a graph, with its mounted children (CORE-28). */
export interface Execution<Result = Outcome> {
  readonly id: string;
  /** Starts it, once. Bodies without anything to wait for begin in this call. @throws PULSE_USAGE the second time */
  start(): void;
  /**
   * Settles when every body has, or `drainTimeout` after the end (CORE-30).
   * @throws PULSE_EXECUTION_FAILED, PULSE_INTERRUPTED or PULSE_CHECKPOINT (CORE-43)
   */
  wait(): Promise<Result>;
  /** Interrupts it: every running body's signal is aborted in this step. Harmless when it has ended. */
  cancel(reason?: unknown): void;
  snapshot(): Snapshot;
  /**
   * Reads a stream that is an output of the graph, under a group of its own or a name that is given; before the start (STR-11).
   * The reader outlives the execution: what is left can still be read and acknowledged.
   * @throws PULSE_USAGE after the start, and for a key that is no stream among the outputs
   */
  subscribe<Element>(
    key: StreamKey<string, Element>,
    options?: { /** Default `host`. */ readonly group?: string },
  ): StreamReader<Element>;
  /** Adds an observer for the events from now on; the result removes it (CORE-44). */
  observe(observer: Observer): () => void;
}

const internals = new WeakMap<Execution<unknown>, RootExecution>();

/** The engine behind an execution, for the bridge (CKPT-31). */
export function engineOf(execution: Execution<unknown>): RootExecution {
  const root = internals.get(execution);
  if (root === undefined) throw usage("CKPT-31", "this is no execution of this copy of @pulse-ts/core");
  return root;
}

/**
 * Builds an execution; nothing runs before `start` (CORE-28).
 * @throws PULSE_INVALID for inputs or options that do not fit, with every problem
 */
export function execution<Graph extends AnyGraph & Ports>(
  graph: Graph,
  inputs: InputsOf<Graph>,
  options: ExecutionOptions = {},
): Execution<OutcomeOf<Graph>> {
  const root = new RootExecution(graph, inputs, options);
  const face: Execution<OutcomeOf<Graph>> = {
    get id() {
      return root.state.id;
    },
    start: () => root.start(),
    wait: () => root.wait() as Promise<OutcomeOf<Graph>>,
    cancel: (reason) => root.cancel(reason),
    snapshot: () => snapshotOf(root.state),
    observe: (observer) => root.state.tree.emitter.add(observer),
    subscribe: (key, given) => {
      const { streams } = root.state.tree;
      if (streams === undefined) throw usage("STR-11", `graph "${graph.name}" has no stream`);
      return streams.subscribe(key, given) as never;
    },
  };
  internals.set(face, root);
  return face;
}

/** Builds, starts and waits (CORE-28). Rejects as {@link execution} throws and `wait` rejects. */
export async function run<Graph extends AnyGraph & Ports>(
  graph: Graph,
  inputs: InputsOf<Graph>,
  options: ExecutionOptions = {},
): Promise<OutcomeOf<Graph>> {
  const running = execution(graph, inputs, options);
  running.start();
  return running.wait();
}

/** The root of a tree: its inputs, its host's signals, its result. */
export class RootExecution {
  readonly state: ExecutionState;
  readonly received: ReadonlyMap<string, ReceivedInput>;
  private readonly options: ExecutionOptions;
  private readonly result: Promise<Outcome>;
  private settle: (() => void) | undefined;
  private readonly undo: (() => void)[] = [];

  constructor(graph: AnyGraph, inputs: Readonly<Record<string, unknown>>, options: ExecutionOptions) {
    const compiled = compile(graph);
    const problems: Problem[] = [];
    checkOptions(options, compiled, problems);
    this.received = receiveInputs(compiled, inputs, problems);
    const refuse = (): void => {
      if (problems.length > 0) throw invalid(`the execution of graph "${graph.name}"`, problems);
    };
    refuse();
    this.options = options;
    this.state = new ExecutionState(new Tree(graph.name, options, runChain), compiled);
    this.state.tree.streams = compiled.streams?.driver(this.state, options, this.received, problems);
    refuse();
    this.state.scope = this.state.tree.checkpoint?.scope ?? "";
    this.result = new Promise((resolve, reject) => {
      this.settle = () => this.finish(resolve, reject);
    });
    // Who never waits is not told: the failure is in the events, not in an unhandled rejection (CORE-11).
    this.result.catch(() => {});
    for (const { name, slot } of compiled.inputs) {
      const input = this.received.get(name);
      if (input?.state === "ready") this.state.decide(slot, ready, input.value);
      else this.state.decide(slot, skippedState, undefined);
    }
  }

  start(): void {
    const { state, options } = this;
    if (state.started)
      throw usage(
        "CORE-28",
        `the execution of graph "${state.compiled.graph.name}" was started already; build a new one`,
      );
    state.tree.streams?.start();
    state.onEnded = () => {
      for (const undo of this.undo) undo();
      this.settle?.();
    };
    const { signal } = options;
    const limits = this.limitsMs();
    if (signal?.aborted === true) this.cancel(signal.reason);
    for (const ms of limits) if (ms <= 0) this.cancel(notDone(ms));
    if (state.stop === undefined) {
      if (signal !== undefined) {
        const abort = (): void => this.cancel(signal.reason);
        signal.addEventListener("abort", abort, { once: true });
        this.undo.push(() => signal.removeEventListener("abort", abort));
      }
      for (const ms of limits) this.undo.push(after(state.tree.host, ms, () => this.cancel(notDone(ms))));
    }
    try {
      state.startAll();
    } catch (error) {
      // The restore plan is bad by now (CKPT-38): nothing has started, and a good plan may follow.
      for (const undo of this.undo.splice(0)) undo();
      throw error;
    }
  }

  /** Milliseconds until the host's deadlines (CORE-46). */
  private limitsMs(): readonly number[] {
    const { timeout, deadline } = this.options;
    const left = deadline === undefined ? undefined : Number(deadline) - this.state.tree.host.now();
    return [timeout, left].filter((ms) => ms !== undefined);
  }

  cancel(reason?: unknown): void {
    const given = reason === undefined ? canceled() : reason;
    if (this.state.started) this.state.interrupt(given, true);
    else this.state.stop ??= { kind: "interrupted", reason: given };
  }

  wait(): Promise<Outcome> {
    return this.result;
  }

  private finish(resolve: (outcome: Outcome) => void, reject: (error: unknown) => void): void {
    const { state } = this;
    try {
      if (state.stop === undefined) {
        resolve(outcomeOf(state));
        return;
      }
    } catch {
      // Only reading a confirmed output can fail, and that has been latched (REC-9).
    }
    reject(errorOf(state, state.stop ?? { kind: "unreliable" }));
  }
}

const notDone = (timeoutMs: number): PulseError =>
  new PulseError("PULSE_TIMEOUT", `the execution was not done in time (${timeoutMs} ms from its start)`, {
    details: { timeoutMs },
  });

const canceled = (): Error => new Error("the execution was cancelled; give cancel a reason to see it here");

/** What `wait` rejects with (CORE-43). */
function errorOf(state: ExecutionState, stop: Stop): PulseError {
  const failed = stop.kind === "failed" ? stop : undefined;
  const unreliable = state.tree.checkpoint?.failure;
  // Copies: an abandoned body may still fail, and the error that a caller holds does not change under it.
  const others = [...state.others];
  const abandoned = [...state.tree.abandoned];
  const left = abandoned.length === 0 ? "" : `; still running: ${abandoned.join(", ")}`;
  const make = <Code extends PulseErrorCode>(
    code: Code,
    what: string,
    cause: unknown,
    details: PulseErrorDetails[Code],
  ) => new PulseError(code, `graph "${state.compiled.graph.name}" ${what}${left}`, { cause, details });
  if (unreliable !== undefined) {
    const { hook, cause } = unreliable;
    if (failed !== undefined) others.unshift(failed.error);
    const what = `stopped: ${hook} failed, so what it did is not known to be saved; resume reads what is true`;
    return make("PULSE_CHECKPOINT", what, cause, { others, abandoned, hook });
  }
  if (failed !== undefined) {
    const { error, path } = failed;
    return make("PULSE_EXECUTION_FAILED", `failed at node "${path}": ${textOf(error)}`, error, {
      path,
      others,
      abandoned,
    });
  }
  const reason = stop.kind === "interrupted" ? stop.reason : undefined;
  return make("PULSE_INTERRUPTED", `was interrupted: ${textOf(reason)}`, reason, { others, abandoned });
}
