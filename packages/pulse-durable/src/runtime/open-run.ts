import { isPulseError, PulseError } from "@pulse-ts/core";
import type { Host } from "@pulse-ts/core";
import { checkIsRecord, checkRecord } from "../integrity/check.ts";
import { recordBuilder } from "../record/fold.ts";
import type { RecordChanges, RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import type { CallOptions, Session, Store } from "../store.ts";
import { startRun } from "../transition/start-run.ts";
import { abortedLater } from "./aborted-later.ts";
import { failedPaths } from "./failed-path.ts";
import { keyIdsOfInput, keysForHeader, keysInHeader, missingKey } from "./fingerprint-keys.ts";
import type { KeyIdOf } from "./fingerprint-keys.ts";
import { sizeOf } from "./ledger.ts";
import type { Prepared } from "./prepared.ts";
import type { InputFingerprints } from "./root-inputs.ts";
import { askingStore, notBegun, runFailed, storeError } from "./run-error.ts";
import type { RunFailure } from "./run-error.ts";
import type { RunEvents } from "./run-events.ts";

/** Which of the calls of {@link DurableRuns} opens a run (DUR-1). */
export type OpenMode = "run" | "resume" | "runOrResume";

export interface OpenRequest {
  readonly mode: OpenMode;
  readonly store: Store;
  readonly runId: string;
  readonly version: string;
  /** As a new run is recorded: made with the current keys. */
  readonly current: RunFingerprints;
  /** As they are with other keys (CODEC-19). @throws PULSE_CODEC when a ring has lost one */
  readonly fingerprinted: (keyIdOf: KeyIdOf) => RunFingerprints;
  readonly host: Host;
  readonly events: RunEvents;
  readonly signal?: AbortSignal;
  /** Milliseconds that the first save has to settle after the signal was aborted (DUR-27). */
  readonly drainTimeout: number;
}

/** What must agree between a run and its resume (DUR-4, DUR-6). */
export interface RunFingerprints extends InputFingerprints {
  readonly prepared: Prepared;
}

/** A run that this process owns, checked if it is there already; nothing of it has run. */
export interface OpenedRun {
  readonly session: Session;
  /** As it was loaded, or as the first save will write it. */
  readonly record: RunRecord;
  readonly resumed: boolean;
  /** With the fingerprints that the record is made with. */
  readonly prepared: Prepared;
  /** Saves a new run; does nothing for one that is there. */
  readonly confirm: () => Promise<void>;
}

/**
 * Acquires the run, and makes a new one or checks the one that is there, before any event, start or change (REC-17).
 * A new run's header and root scope are to be confirmed before any body runs, so that no crash loses what idempotency
 * keys are made of (DUR-25). On any error the session is closed and nothing was changed.
 */
export async function openRun(request: OpenRequest): Promise<OpenedRun> {
  const { mode, store, runId, signal } = request;
  const call: CallOptions = signal === undefined ? {} : { signal };
  const step = async <Result>(doing: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      // By identity: the reason is whatever the host chose, one of Pulse's own errors perhaps.
      if (signal?.aborted === true && (error === signal.reason || !isPulseError(error))) {
        throw notBegun(runId, againOf(mode), signal.reason);
      }
      throw storeError(error, runId, doing);
    }
  };
  const session = await step("acquiring", () => store.acquire(runId, call));
  try {
    const found = await step("loading", () => loadIfThere(session, request, call));
    if (found === undefined) {
      const changes = firstChanges(request);
      const record = recordOf(runId, changes);
      // Not ended by the caller's signal: what goes wrong there is the store's, and may be written (DUR-27, STORE-4).
      const confirm = (): Promise<void> =>
        askingStore(runId, "recording", () => begin(session, record, changes, request));
      return { session, record, resumed: false, prepared: request.current.prepared, confirm };
    }
    if (mode === "run") throw conflict(found, runId);
    const { prepared } = check(found, request);
    return { session, record: found, resumed: true, prepared, confirm: () => Promise.resolve() };
  } catch (error) {
    // What ended the opening is what the host is told; the session may fail to close for the same reason.
    await session.close().catch(() => {});
    throw error;
  }
}

/** A new run is started on NotFound alone (DUR-18). */
async function loadIfThere(
  session: Session,
  { mode, runId }: OpenRequest,
  call: CallOptions,
): Promise<RunRecord | undefined> {
  try {
    const found: unknown = await session.load(call);
    checkIsRecord(found, { runId, doing: "loading" });
    // What else is wrong with it is told before anything is done with it.
    return found as unknown as RunRecord;
  } catch (error) {
    const missing = isPulseError(error, "PULSE_NOT_FOUND") && error !== call.signal?.reason;
    if (mode !== "resume" && missing) return undefined;
    throw error;
  }
}

/** The first save: header and root scope. */
function firstChanges({ runId, version, current, host }: OpenRequest): RecordChanges {
  const { prepared, inputs, inputsOutline } = current;
  const { definition, outline, root, fingerprintKeys } = prepared;
  const rootScope = host.randomId();
  return startRun({
    runId,
    version,
    definition,
    inputs,
    ...keysForHeader(fingerprintKeys),
    // Of a big graph it is big: it is copied only for inputs to be added.
    outline: Object.keys(inputsOutline).length === 0 ? outline : { ...outline, ...inputsOutline },
    rootScope,
    graph: root.graph,
    rootNodes: root.nodes.size,
  });
}

function recordOf(runId: string, changes: RecordChanges): RunRecord {
  const builder = recordBuilder(runId);
  for (const change of changes) builder.apply(change);
  return builder.view();
}

async function begin(session: Session, record: RunRecord, changes: RecordChanges, request: OpenRequest): Promise<void> {
  const { version, current, host, events, signal, drainTimeout } = request;
  const began = host.now();
  // Not given the caller's signal: cancelling alone must not make the first save uncertain (DUR-27).
  const ending = abortedLater(signal, drainTimeout, host);
  try {
    await session.save(record, 0, changes, { signal: ending.signal });
  } finally {
    ending.forget();
  }
  const { revision } = record.header;
  events.emit({ kind: "run-opened", graph: current.prepared.root.graph, version, revision });
  if (events.observed) {
    const durationMs = host.now() - began;
    events.emit({ kind: "run-saved", revision, changes: changes.length, bytes: sizeOf(changes), durationMs });
  }
}

/** What the host calls to try the same again. */
export function againOf(mode: OpenMode): "start" | "resume" {
  return mode === "run" ? "start" : "resume";
}

/**
 * All checks of a loaded record, and then the failure of a run that has finally failed (DUR-3, DUR-4). Gives the
 * fingerprints that it was checked with.
 */
function check(record: RunRecord, request: OpenRequest): RunFingerprints {
  const { runId, version } = request;
  const { made, missing } = recordedFingerprints(record, request);
  const { prepared, ...inputs } = made;
  try {
    const keyIdsOf = (input: string): readonly string[] =>
      keyIdsOfInput(prepared.root.inputs.get(input), record.header);
    checkRecord(record, prepared.view, { runId, version, definition: prepared.definition, ...inputs, keyIdsOf });
  } catch (error) {
    // They cannot agree without the key, so that is what to tell; unless something else was found before.
    if (missing !== undefined && isPulseError(error, "PULSE_INCOMPATIBLE") && error.details.what !== "version") {
      throw missingKey(runId, missing);
    }
    throw error;
  }
  if (record.header.status === "failed") throw failureOf(record, runId);
  return made;
}

/** What the resume of a finally failed run fails with (DUR-3). */
export function failureOf(record: RunRecord, runId: string): PulseError<"PULSE_RUN_FAILED"> {
  const { failure } = record.header;
  const text = failure === undefined ? {} : { text: failure };
  return runFailed({ runId, ...failedAt(failedPaths(record)), others: [], abandoned: [], ...text });
}

interface RecordedFingerprints {
  readonly made: RunFingerprints;
  /** Which key was asked for, when a ring has lost it; they are then made with the current ones. */
  readonly missing?: PulseError<"PULSE_CODEC">;
}

/** The fingerprints of this call with the keys that the record names, whatever is current now (CODEC-19). */
function recordedFingerprints({ header }: RunRecord, { current, fingerprinted }: OpenRequest): RecordedFingerprints {
  const { fingerprintKeys } = current.prepared;
  const keyIdOf = keysInHeader(header);
  if (fingerprintKeys.every((key) => (keyIdOf(key.codecId) ?? key.current) === key.current)) return { made: current };
  try {
    return { made: fingerprinted(keyIdOf) };
  } catch (error) {
    if (isPulseError(error, "PULSE_CODEC") && error.details.keyMissing === true)
      return { made: current, missing: error };
    throw error;
  }
}

/** One node is the path; of several the record does not tell which was the first. */
function failedAt(paths: readonly string[]): Pick<RunFailure, "path" | "paths"> {
  return paths.length === 1 ? { path: paths[0] } : { paths };
}

function conflict({ header }: RunRecord, runId: string): PulseError {
  const next = header.status === "running" ? "resume" : "new-run-id";
  return new PulseError(
    "PULSE_CONFLICT",
    `starting run "${shownRunId(runId)}": a run of this id is there already (${header.status}); resume it, or choose another id`,
    { details: { runId, next, what: "run id", found: header.status } },
  );
}
