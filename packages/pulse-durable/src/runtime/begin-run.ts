import type { Codecs } from "@pulse-ts/codec";
import { drainTimeoutDefault, execution, isPulseError, PulseError } from "@pulse-ts/core";
import type { AnyGraph, Execution, ExecutionOptions, Host, InputsOf, OutcomeOf } from "@pulse-ts/core";
import { checkpoint, checkpointInputs, checkpointSubscriptions, restoreNodes } from "@pulse-ts/core/checkpoint";
import type { CheckpointHooks } from "@pulse-ts/core/checkpoint";
import type { NextStep } from "../errors.ts";
import type { RunOptions } from "../options.ts";
import type { RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import type { Store } from "../store.ts";
import { checkInputsGiven } from "./check-options.ts";
import { codedKeys } from "./coded-keys.ts";
import { checkSubscriptions, hostGroups } from "./subscriptions.ts";
import type { KeyIdOf } from "./fingerprint-keys.ts";
import { runHooks } from "./hooks.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { openLedger } from "./ledger.ts";
import type { Ledger } from "./ledger.ts";
import { refuseResume } from "../transition/count-resume.ts";
import { keepingBack } from "./keep-back.ts";
import { hostRest } from "./host-rest.ts";
import type { HostRest } from "./host-rest.ts";
import { againOf, failureOf, openRun } from "./open-run.ts";
import type { OpenMode, RunFingerprints } from "./open-run.ts";
import type { Prepared } from "./prepared.ts";
import { confirmedNodes, restoreScope } from "./restore-plan.ts";
import { deepestFailed } from "./failed-path.ts";
import { askingStore, namingRun, notBegun, runError } from "./run-error.ts";
import { rootInputs } from "./root-inputs.ts";
import { runEvents } from "./run-events.ts";
import type { RunEvents } from "./run-events.ts";
import { noContents, runValues } from "./values.ts";
import { verifyAll } from "./verify-all.ts";

/** What all runs of one `durable()` share. */
export interface RunSurroundings {
  readonly store: Store;
  readonly codecs: Codecs;
  readonly host: Host;
  readonly prepared: (
    graph: AnyGraph,
    options: Pick<ExecutionOptions, "aspects" | "overrides">,
    keyIdOf?: KeyIdOf,
  ) => Prepared;
  /** Goes between core and the hooks of each run: how fault points come in. */
  readonly around?: (hooks: CheckpointHooks) => CheckpointHooks;
}

/** A run that has started. */
export interface BegunRun<Graph extends AnyGraph> {
  readonly execution: Execution<OutcomeOf<Graph>>;
  /**
   * Settles when the execution has ended and the session is closed; of a completed run that the host has still to read when
   * the execution has ended (STR-53). Its rejection is handled.
   */
  readonly outcome: Promise<OutcomeOf<Graph>>;
  /** Settles when the session is closed; never rejects. */
  readonly closed: Promise<void>;
  /** Interrupts the run, or gives up what the host has not read of it; settles with {@link closed}. */
  leave(reason: unknown): Promise<void>;
}

/**
 * Opens a run and starts it: validates and prepares before any acquire, then acquires, loads and checks, then restores,
 * and records a new run last of all. Whatever goes wrong on the way closes the session and is thrown, and the run is as
 * it was (DUR-1, DUR-3, DUR-4, DUR-18).
 */
export async function beginRun<Graph extends AnyGraph>(
  mode: OpenMode,
  graph: Graph,
  inputs: InputsOf<Graph>,
  options: RunOptions<Graph>,
  { store, codecs, host: sharedHost, prepared: prepare, around = (hooks) => hooks }: RunSurroundings,
): Promise<BegunRun<Graph>> {
  const {
    runId,
    version,
    observers = [],
    beforeStart,
    verify,
    isolate = true,
    keepFailure = false,
    maxResumes,
    ...rest
  } = options;
  const host = rest.host ?? sharedHost;
  let ledger: Ledger | undefined;
  let contents: ((digest: string) => Promise<Uint8Array>) | undefined;
  const keys = codedKeys(codecs);
  const values = runValues({
    runId,
    isolate,
    corrupt: (error) => ledger?.stop(error),
    content: (digest) => contents?.(digest) ?? Promise.reject(noContents(runId, digest)),
  });
  const { current, readers, fingerprinted } = namingRun({ runId, next: againOf(mode) }, () => {
    checkInputsGiven(inputs);
    // Never started: it checks options and inputs as core does, and tells what was received (CORE-28, CKPT-27).
    const unstarted = keepingBack(graph, codecs, () => execution(graph, inputs, { ...rest, host, observers }));
    const made = prepare(graph, rest);
    const { readers, fingerprints } = rootInputs(runId, checkpointInputs(unstarted), made.root, values);
    // The definition is another one only where its own values are encrypted.
    const fingerprinted = (keyIdOf: KeyIdOf): RunFingerprints => ({
      prepared: made.definitionKeys.length === 0 ? made : prepare(graph, rest, keyIdOf),
      ...fingerprints(keyIdOf),
    });
    return { current: { prepared: made, ...fingerprints() }, readers, fingerprinted };
  });
  const events = runEvents(runId, host, observers);
  const { signal, drainTimeout = drainTimeoutDefault } = rest;
  if (signal?.aborted === true) throw notBegun(runId, againOf(mode), signal.reason);

  const request = { mode, store, runId, version, current, fingerprinted, host, events, drainTimeout };
  const opened = await openRun(signal === undefined ? request : { ...request, signal });
  const { session, record, resumed, prepared, confirm } = opened;
  if (session.content !== undefined) {
    const content = session.content.bind(session);
    contents = (digest) => askingStore(runId, "reading a content of", () => content(digest));
  }
  const writing = openLedger({ session, record, resumed, host, events });
  ledger = writing;
  let told = false;
  try {
    const { rootScope } = record.header;
    const counted = resumed && record.header.status === "running" && maxResumes !== undefined;
    if (counted) refuseResume(record.header, maxResumes);
    if (verify === "all" && resumed) await verifyAll(record, prepared, values);
    const tellResumed = (): void => {
      if (!resumed || told) return;
      told = true;
      events.emit({ kind: "run-resumed", ...countsOf(record) });
    };
    if (resumed && writing.needsRepair) {
      tellResumed();
      await askingStore(runId, "repairing the stream ends of", () => writing.repair());
      if (writing.view.record.header.status === "failed") throw failureOf(writing.view.record, runId);
    }
    const plan = await restoreScope(
      { scope: rootScope, place: prepared.root, nodes: confirmedNodes(writing.view, rootScope) },
      { ledger: writing, prepared, values },
    );
    let hostReads: HostRest | undefined;
    let begun = false;
    const mayBegin = (): void => {
      if (!begun) throw startedEarly(runId, againOf(mode));
    };
    const hooks = around(
      runHooks({
        ledger: writing,
        prepared,
        values,
        keys,
        host,
        keepFailure,
        mayBegin,
        hostCommitted: () => hostReads?.look(),
      }),
    );
    const running = execution(graph, inputs, {
      ...rest,
      host,
      observers,
      checkpoint: checkpoint({
        scope: rootScope,
        hooks,
        runId,
        idempotencyKey: (scope, nodeId, message) => idempotencyKey(runId, scope, nodeId, message),
      }),
    });
    restoreNodes(running, { ...plan, inputs: readers });
    callBeforeStart({ beforeStart, runId, next: againOf(mode), running });
    const subscriptions = checkpointSubscriptions(running);
    checkSubscriptions({ runId, next: againOf(mode), graph, prepared, view: writing.view, subscriptions });
    await confirm();
    tellResumed();
    told = true;
    // Before any body runs: one that ends its process would never be counted (DUR-28).
    if (counted) await askingStore(runId, "counting the resume of", () => writing.countResume(maxResumes));
    begun = true;
    running.start();
    hostReads = hostRest(writing, hostGroups(writing, prepared, subscriptions), signal);
    return { execution: running, ...endOf(running, { runId, ledger: writing, events, rest: hostReads }) };
  } catch (error) {
    await writing.close().catch(() => {});
    if (told) events.emit({ kind: "run-stopped", reason: reasonOf(error), error });
    throw error;
  }
}

/** Lets the host look at the execution, and refuses one that it started: nothing may run before the first save (DUR-25). */
function callBeforeStart<Result>({ beforeStart, runId, next, running }: BeforeStart<Result>): void {
  if (beforeStart === undefined) return;
  const answer = beforeStart(running);
  // An async function fits the option's type; what it rejects with later ends the run as well.
  if (answer instanceof Promise) answer.catch((error: unknown) => running.cancel(error));
  if (running.snapshot().state !== "built") throw startedEarly(runId, next);
}

interface BeforeStart<Result> {
  readonly beforeStart: ((execution: Execution<Result>) => unknown) | undefined;
  readonly runId: string;
  readonly next: NextStep;
  readonly running: Execution<Result>;
}

function startedEarly(runId: string, next: NextStep): PulseError<"PULSE_USAGE"> {
  const message = `run "${shownRunId(runId)}": its beforeStart started the execution; leave that to durable, which records the run first`;
  return new PulseError("PULSE_USAGE", message, { details: { rule: "DUR-24", runId, next } });
}

function countsOf({ header, scopes, nodes, attempts, streams, messages }: RunRecord) {
  const { revision, resumes } = header;
  const sources = new Set([...streams.values()].map(({ sourceId }) => sourceId)).size;
  const counts = { scopes: scopes.size, nodes: nodes.size, attempts: attempts.size };
  return { revision, resumes, ...counts, streams: sources, messages: messages.size };
}

interface EndParts {
  readonly runId: string;
  readonly ledger: Ledger;
  readonly events: RunEvents;
  readonly rest: HostRest;
}

/**
 * Closes the session when the execution has ended, and tells its end as the run's (DUR-12). A completed run gives its outcome
 * at once while the host has something to read, and closes when that is over (STR-53).
 */
function endOf<Result>(
  running: Execution<Result>,
  { runId, ledger, events, rest }: EndParts,
): Omit<BegunRun<never>, "execution" | "outcome"> & { readonly outcome: Promise<Result> } {
  const told = (error: unknown): unknown => runError(error, runId, (path) => deepestFailed(ledger.view.record, path));
  const close = async (): Promise<{ readonly error?: unknown }> => {
    try {
      await ledger.close();
      return {};
    } catch (error) {
      // How the run ended is confirmed; that its session did not close well is told, and changes nothing of it.
      return { error };
    }
  };
  let tellClosed = (): void => {};
  const closed = new Promise<void>((resolve) => (tellClosed = resolve));
  const afterRest = async (): Promise<void> => {
    await rest.over;
    // Before it is closed, which stops it too.
    const failed = ledgerError(ledger);
    const ended = await close();
    events.emit({ kind: "run-stopped", reason: "completed", ...failed, ...ended });
    tellClosed();
  };
  const end = async (): Promise<Result> => {
    let outcome: Result;
    try {
      outcome = await running.wait();
    } catch (error) {
      const failure = told(error);
      await close();
      events.emit({ kind: "run-stopped", reason: reasonOf(failure), error: failure });
      tellClosed();
      throw failure;
    }
    const over = afterRest();
    if (!rest.isLeft()) await over;
    return outcome;
  };
  const outcome = end();
  outcome.catch(() => {});
  const leave = async (reason: unknown): Promise<void> => {
    running.cancel(reason);
    rest.giveUp();
    await closed;
  };
  return { outcome, closed, leave };
}

/** What stopped the saving of a run that was completed before: the host's own acknowledgements were not confirmed. */
function ledgerError({ stopped }: Ledger): { readonly error?: unknown } {
  return stopped === undefined ? {} : { error: stopped.error };
}

function reasonOf(error: unknown): "failed" | "interrupted" | "error" {
  if (isPulseError(error, "PULSE_RUN_FAILED")) return "failed";
  return isPulseError(error, "PULSE_INTERRUPTED") ? "interrupted" : "error";
}
