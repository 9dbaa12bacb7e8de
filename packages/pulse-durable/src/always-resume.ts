import { isPulseError, PulseError } from "@pulse-ts/core";
import type { AnyGraph, Host, InputsOf, OutcomeOf } from "@pulse-ts/core";
import { durable } from "./durable.ts";
import type { FakeHost } from "./fake-host.ts";
import { shortLife } from "./faults/short-life.ts";
import type { ShortLife, StopKind } from "./faults/short-life.ts";
import { memoryStore } from "./memory-store.ts";
import type { DurableOptions, RunOptions } from "./options.ts";
import { shownRunId } from "./run-id.ts";
import type { Store } from "./store.ts";

/** The options of a run, and how it is stopped. */
export interface AlwaysResumeOptions<Graph extends AnyGraph = AnyGraph>
  extends Omit<RunOptions<Graph>, "runId" | "version" | "host" | "maxResumes">, Partial<DurableOptions> {
  /** Default: `memoryStore()`. Stays open. */
  readonly store?: Store;
  /**
   * Default: the system's. A fake host is moved from timer to timer whenever the store has answered, so delays cost nothing;
   * bodies must not wait for anything real then.
   */
  readonly host?: Host;
  /** Default "always-resume". The run must not be there. */
  readonly runId?: string;
  /** Default "1". */
  readonly version?: string;
  /**
   * `"interrupt"` (default): after each save the host interrupts the run. `"lost"`: the process dies before a save is
   * written, at each save once. `"uncertain"`: it dies after each save, before it hears that it was written.
   */
  readonly stop?: StopKind;
  /** More processes than this are a run that gets nowhere. Default {@link processesMaxDefault}. */
  readonly processesMax?: number;
}

/** Processes of one run: each makes at least one save, so this many are enough for any graph of a test. */
export const processesMaxDefault = 10_000;

/** What a run came to that was stopped at every save. */
export interface AlwaysResumed<Graph extends AnyGraph = AnyGraph> {
  /** As the last resume gave it, from the record alone. */
  readonly outcome: OutcomeOf<Graph>;
  /** How often the run was resumed; the last time it was completed already. */
  readonly resumes: number;
}

/**
 * Runs a graph so that it is stopped and resumed at every single save; the outcome must be that of an undisturbed run
 * (DUR-16). Give a function to build the graph anew for each process: as a real resume does, and as a graph needs whose
 * limiter is held by bodies that a crash left behind. Sources must be resumable (STR-48). A host that subscribes in
 * `beforeStart` must acknowledge what it gets, or stop: each process waits for it as a session does (STR-53).
 * @throws Error when a confirmed node runs again, when something is saved after the stop, or when the store loses a save;
 *   PULSE_USAGE when `processesMax` processes have not brought the run to its end; and whatever a run throws: of one
 *   that fails, what its last resume throws (without a `cause`, DUR-3)
 */
export async function alwaysResume<Graph extends AnyGraph>(
  graph: Graph | (() => Graph),
  inputs: InputsOf<Graph>,
  options: AlwaysResumeOptions<Graph> = {},
): Promise<AlwaysResumed<Graph>> {
  const { store = memoryStore(), codecs, host, runId = "always-resume", version = "1", ...more } = options;
  const { stop: kind = "interrupt", processesMax = processesMaxDefault, observers = [], signal, ...rest } = more;
  const shared = { ...(codecs === undefined ? {} : { codecs }), ...(host === undefined ? {} : { host }) };
  let written = 0;
  let resumes = 0;

  for (let processes = 0; processes < processesMax; processes += 1) {
    // The first save of a run is lost as well; after that each process writes one, or none would get further.
    const life = shortLife({ store, runId, kind, written, keeps: processes === 0 ? 0 : 1 });
    const way = written === 0 ? "run" : "resume";
    if (way === "resume") resumes += 1;
    const before = written;
    const running = durable({ ...shared, store: life.store })[way](graphOf(graph), inputs, {
      ...rest,
      runId,
      version,
      signal: signal === undefined ? life.signal : AbortSignal.any([life.signal, signal]),
      observers: [life.observer, ...observers],
    });
    const ended = settle(running).then(async (end) => {
      await life.closed();
      return end;
    });
    await drive(host, life, ended);
    const end = await ended;
    written = life.written;
    if (life.violation !== undefined) throw life.violation;
    // What saved nothing and was not stopped told what the record holds: the end of the run, or why there is none.
    if (life.stopped === undefined && written === before) {
      if ("error" in end) throw end.error;
      return { outcome: end.outcome, resumes };
    }
    if ("error" in end && !isExpected(end.error, life)) throw end.error;
    if ("outcome" in end && life.stopped !== undefined && kind !== "interrupt") {
      throw new Error(`run "${shownRunId(runId)}" was completed, though its last save had erred`);
    }
  }
  const message = `run "${shownRunId(runId)}" was resumed ${resumes} times, once at each save, and has not ended; give processesMax if it needs more`;
  throw new PulseError("PULSE_USAGE", message, { details: { rule: "DUR-16", runId, next: "resume" } });
}

function graphOf<Graph extends AnyGraph>(graph: Graph | (() => Graph)): Graph {
  return typeof graph === "function" ? graph() : graph;
}

type End<Result> = { readonly outcome: Result } | { readonly error: unknown };

function settle<Result>(running: Promise<Result>): Promise<End<Result>> {
  return running.then(
    (outcome) => ({ outcome }),
    (error: unknown) => ({ error }),
  );
}

/** An end that the next process looks into: the stop, or the failure that the run's last save recorded. */
function isExpected(error: unknown, { stopped }: ShortLife): boolean {
  if (isPulseError(error, "PULSE_RUN_FAILED")) return true;
  return stopped !== undefined && error instanceof Error && error.cause === stopped;
}

/** Moves a fake host while the process lives: when the store has answered and nothing else is left, a timer is next. */
async function drive(host: Host | undefined, life: ShortLife, ended: Promise<unknown>): Promise<void> {
  if (!isFake(host)) return;
  const state = { over: false };
  void ended.then(() => (state.over = true));
  while (!state.over) {
    await host.advance(0);
    if (!state.over && life.waiting === 0) await host.step();
  }
}

function isFake(host: Host | undefined): host is FakeHost {
  return host !== undefined && "step" in host && "advance" in host;
}
