import type { Codecs } from "@pulse-ts/codec";
import { execution, isPulseError, PulseError } from "@pulse-ts/core";
import type { AnyGraph, AnyKey, Execution, ExecutionOptions, Host, InputsOf, OutcomeOf } from "@pulse-ts/core";
import { checkpoint, checkpointInputs, restoreNodes } from "@pulse-ts/core/checkpoint";
import type { CheckpointHooks } from "@pulse-ts/core/checkpoint";
import type { NextStep } from "../errors.ts";
import type { RunOptions } from "../options.ts";
import type { RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import type { Store } from "../store.ts";
import { checkInputsGiven } from "./check-options.ts";
import type { KeyIdOf } from "./fingerprint-keys.ts";
import { runHooks } from "./hooks.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { openLedger } from "./ledger.ts";
import type { Ledger } from "./ledger.ts";
import { refuseResume } from "../transition/count-resume.ts";
import { keepingBack } from "./keep-back.ts";
import { againOf, openRun } from "./open-run.ts";
import type { OpenMode, RunFingerprints } from "./open-run.ts";
import type { Prepared } from "./prepared.ts";
import { confirmedNodes, restoreScope } from "./restore-plan.ts";
import { deepestFailed } from "./failed-path.ts";
import { askingStore, namingRun, notBegun, runError } from "./run-error.ts";
import { rootInputs } from "./root-inputs.ts";
import { runEvents } from "./run-events.ts";
import type { RunEvents } from "./run-events.ts";
import { noContents, runValues } from "./values.ts";
import type { CodedKey } from "./values.ts";
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
  /** Settles when the execution has ended and the session is closed; its rejection is handled. */
  readonly ended: Promise<OutcomeOf<Graph>>;
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
  const codedKey = codedKeys(codecs);
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
  const { signal } = rest;
  if (signal?.aborted === true) throw notBegun(runId, againOf(mode), signal.reason);

  const request = { mode, store, runId, version, current, fingerprinted, host, events };
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
    const nodes = await restoreScope(
      { scope: rootScope, place: prepared.root, nodes: confirmedNodes(writing.view, rootScope) },
      values,
    );
    let begun = false;
    const mayBegin = (): void => {
      if (!begun) throw startedEarly(runId, againOf(mode));
    };
    const hooks = around(runHooks({ ledger: writing, prepared, values, codedKey, host, keepFailure, mayBegin }));
    const running = execution(graph, inputs, {
      ...rest,
      host,
      observers,
      checkpoint: checkpoint({
        scope: rootScope,
        hooks,
        runId,
        idempotencyKey: (scope, nodeId) => idempotencyKey(runId, scope, nodeId),
      }),
    });
    restoreNodes(running, { nodes, inputs: readers });
    callBeforeStart({ beforeStart, runId, next: againOf(mode), running });
    await confirm();
    told = true;
    if (resumed) events.emit({ kind: "run-resumed", ...countsOf(record) });
    // Before any body runs: one that ends its process would never be counted (DUR-28).
    if (counted) await askingStore(runId, "counting the resume of", () => writing.countResume(maxResumes));
    begun = true;
    running.start();
    return { execution: running, ended: endOf(running, { runId, ledger: writing, events }) };
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

/** A codec for each key, looked up once. */
function codedKeys(codecs: Codecs): (key: AnyKey) => CodedKey {
  const known = new WeakMap<AnyKey, CodedKey>();
  return (key) => {
    let coded = known.get(key);
    if (coded === undefined) {
      coded = { name: key.name, codec: codecs.forType(key.type, key.name) };
      known.set(key, coded);
    }
    return coded;
  };
}

function countsOf({ header, scopes, nodes, attempts }: RunRecord) {
  const { revision, resumes } = header;
  return { revision, resumes, scopes: scopes.size, nodes: nodes.size, attempts: attempts.size };
}

interface EndParts {
  readonly runId: string;
  readonly ledger: Ledger;
  readonly events: RunEvents;
}

/** Closes the session when the execution has ended, and tells its end as the run's (DUR-12). */
async function endOf<Result>(running: Execution<Result>, { runId, ledger, events }: EndParts): Promise<Result> {
  let result: { readonly outcome: Result } | { readonly error: unknown };
  try {
    result = { outcome: await running.wait() };
  } catch (error) {
    result = { error: runError(error, runId, (path) => deepestFailed(ledger.view.record, path)) };
  }
  let closed: { readonly error?: unknown } = {};
  try {
    await ledger.close();
  } catch (error) {
    // How the run ended is confirmed; that its session did not close well is told, and changes nothing of it.
    closed = { error };
  }
  if ("outcome" in result) {
    events.emit({ kind: "run-stopped", reason: "completed", ...closed });
    return result.outcome;
  }
  events.emit({ kind: "run-stopped", reason: reasonOf(result.error), error: result.error });
  throw result.error;
}

function reasonOf(error: unknown): "failed" | "interrupted" | "error" {
  if (isPulseError(error, "PULSE_RUN_FAILED")) return "failed";
  return isPulseError(error, "PULSE_INTERRUPTED") ? "interrupted" : "error";
}
