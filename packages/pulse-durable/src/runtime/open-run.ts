import { isPulseError, PulseError } from "@pulse-ts/core";
import type { Host } from "@pulse-ts/core";
import { checkRecord } from "../integrity/check.ts";
import type { GivenInputs } from "../integrity/scope-inputs.ts";
import { recordBuilder } from "../record/fold.ts";
import type { RecordChanges, RunRecord } from "../record/format.ts";
import { shownRunId } from "../run-id.ts";
import type { CallOptions, Session, Store } from "../store.ts";
import { startRun } from "../transition/start-run.ts";
import { failedPaths } from "./failed-path.ts";
import { sizeOf } from "./ledger.ts";
import type { Prepared } from "./prepared.ts";
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
  readonly prepared: Prepared;
  /** The fingerprint of the root inputs (DUR-6). */
  readonly inputs: string;
  /** A short hash of each of them, so that those that differ can be named (DUR-4). */
  readonly inputsOutline: Readonly<Record<string, string>>;
  /** The root inputs by name, for the older fingerprints of scopes (REC-3). */
  readonly given: GivenInputs;
  readonly host: Host;
  readonly events: RunEvents;
  readonly signal?: AbortSignal;
}

/** A run that this process owns, checked if it is there already; nothing of it has run. */
export interface OpenedRun {
  readonly session: Session;
  /** As it was loaded, or as the first save will write it. */
  readonly record: RunRecord;
  readonly resumed: boolean;
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
    const found = await step("loading", () => loadIfThere(session, mode, call));
    if (found === undefined) {
      const changes = firstChanges(request);
      const record = recordOf(runId, changes);
      // Not ended by the caller's signal: what goes wrong there is the store's, and may be written (DUR-27, STORE-4).
      const confirm = (): Promise<void> =>
        askingStore(runId, "recording", () => begin(session, record, changes, request));
      return { session, record, resumed: false, confirm };
    }
    if (mode === "run") throw conflict(found, runId);
    check(found, request);
    return { session, record: found, resumed: true, confirm: () => Promise.resolve() };
  } catch (error) {
    // What ended the opening is what the host is told; the session may fail to close for the same reason.
    await session.close().catch(() => {});
    throw error;
  }
}

/** A new run is started on NotFound alone (DUR-18). */
async function loadIfThere(session: Session, mode: OpenMode, call: CallOptions): Promise<RunRecord | undefined> {
  try {
    return await session.load(call);
  } catch (error) {
    const missing = isPulseError(error, "PULSE_NOT_FOUND") && error !== call.signal?.reason;
    if (mode !== "resume" && missing) return undefined;
    throw error;
  }
}

/** The first save: header and root scope. */
function firstChanges({ runId, version, prepared, inputs, inputsOutline, host }: OpenRequest): RecordChanges {
  const { definition, outline, root } = prepared;
  const rootScope = host.randomId();
  return startRun({
    runId,
    version,
    definition,
    inputs,
    outline: { ...outline, ...inputsOutline },
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
  const { version, prepared, host, events } = request;
  const began = host.now();
  // Not given the caller's signal: cancelling must not make the first save uncertain (DUR-27).
  await session.save(record, 0, changes);
  const { revision } = record.header;
  events.emit({ kind: "run-opened", graph: prepared.root.graph, version, revision });
  if (events.observed) {
    const durationMs = host.now() - began;
    events.emit({ kind: "run-saved", revision, changes: changes.length, bytes: sizeOf(changes), durationMs });
  }
}

/** What the host calls to try the same again. */
export function againOf(mode: OpenMode): "start" | "resume" {
  return mode === "run" ? "start" : "resume";
}

/** All checks of a loaded record, and then the failure of a run that has finally failed (DUR-3, DUR-4). */
function check(record: RunRecord, { runId, version, prepared, inputs, inputsOutline, given }: OpenRequest): void {
  const { definition, view } = prepared;
  checkRecord(record, view, { runId, version, definition, inputs, inputsOutline, given });
  const { status, failure } = record.header;
  if (status === "failed") {
    const text = failure === undefined ? {} : { text: failure };
    throw runFailed({ runId, ...failedAt(failedPaths(record)), others: [], abandoned: [], ...text });
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
