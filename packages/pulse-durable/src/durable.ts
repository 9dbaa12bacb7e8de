import { createCodecs } from "@pulse-ts/codec";
import { PulseError, systemHost } from "@pulse-ts/core";
import type { AnyGraph, InputsOf, OutcomeOf } from "@pulse-ts/core";
import type { NextStep } from "./errors.ts";
import { exportRun } from "./export.ts";
import type { RunHandle } from "./handle.ts";
import { checkTree } from "./integrity/check.ts";
import { importRun } from "./import.ts";
import type { ImportedRun } from "./import.ts";
import { inspectRecord } from "./inspect.ts";
import type { RunInspection } from "./inspect.ts";
import type { DurableOptions, RunOptions } from "./options.ts";
import { checkRunId, shownRunId } from "./run-id.ts";
import { beginRun } from "./runtime/begin-run.ts";
import type { BegunRun, RunSurroundings } from "./runtime/begin-run.ts";
import { againOf } from "./runtime/open-run.ts";
import type { OpenMode } from "./runtime/open-run.ts";
import { checkDurableOptions, checkRunOptions } from "./runtime/check-options.ts";
import { prepare } from "./runtime/prepare.ts";
import type { Prepared } from "./runtime/prepared.ts";
import { askingStore } from "./runtime/run-error.ts";
import type { CallOptions } from "./store.ts";

/**
 * Runs graphs so that they survive the death of their process. Any number of runs at once; each belongs to one process
 * at a time. What a call rejects with names the run in `details.runId` and what can be done next in `details.next` (DUR-12).
 */
export interface Durable extends AsyncDisposable {
  /** Starts a new run and waits for its end. @throws PULSE_CONFLICT when the run id is taken (DUR-1), and as {@link RunHandle.wait} */
  run<Graph extends AnyGraph>(
    graph: Graph,
    inputs: InputsOf<Graph>,
    options: RunOptions<Graph>,
  ): Promise<OutcomeOf<Graph>>;
  /**
   * Goes on with a run and waits for its end. A completed run gives its recorded outputs and runs nothing; one that has
   * finally failed fails again and says where, without a `cause` (DUR-3). What a completed run has left for the host's
   * readers can be read and acknowledged: subscribe in `beforeStart` (STR-53).
   * @throws PULSE_NOT_FOUND; PULSE_BUSY while another process owns it; PULSE_INCOMPATIBLE for another version, definition,
   *   inputs or codec (DUR-4), and for a stream that cannot go on from its position (STR-48); PULSE_USAGE for subscriptions
   *   that do not fit the record (STR-37); PULSE_CORRUPT; PULSE_NEWER_FORMAT; and as {@link RunHandle.wait}
   */
  resume<Graph extends AnyGraph>(
    graph: Graph,
    inputs: InputsOf<Graph>,
    options: RunOptions<Graph>,
  ): Promise<OutcomeOf<Graph>>;
  /** Resumes the run if it is there, else starts it: on PULSE_NOT_FOUND alone (DUR-18). */
  runOrResume<Graph extends AnyGraph>(
    graph: Graph,
    inputs: InputsOf<Graph>,
    options: RunOptions<Graph>,
  ): Promise<OutcomeOf<Graph>>;
  /** What `runOrResume` does, but gives a handle once the execution has started (DUR-24). */
  start<Graph extends AnyGraph>(
    graph: Graph,
    inputs: InputsOf<Graph>,
    options: RunOptions<Graph>,
  ): Promise<RunHandle<Graph>>;
  /**
   * The record's state as a tree, without owning the run (DUR-14).
   * @throws PULSE_NOT_FOUND, PULSE_CORRUPT, PULSE_NEWER_FORMAT, PULSE_STORE; PULSE_USAGE when the store has no catalogue
   */
  inspect(runId: string): Promise<RunInspection>;
  /**
   * The run's whole record as one JSON document: canonical (RFC 8785) in UTF-8, with the field names of the record, bytes
   * as base64, contents fetched one at a time (REC-26). The run need not be owned; what it last saved is exported. The
   * document holds all that the record holds: the values of an unencrypted run are readable in it.
   * @throws PULSE_NOT_FOUND; PULSE_CORRUPT, as what could not be imported is no backup; PULSE_NEWER_FORMAT; PULSE_STORE;
   *   PULSE_USAGE when the store has no catalogue
   */
  export(runId: string): Promise<Uint8Array>;
  /**
   * Puts a run that was exported into the store, under its own id; a run that is there is not touched. All that needs no
   * definition is checked before; the definition, when the run is resumed. The record comes back equal but for its
   * revision, which begins at 1 again (STORE-3). A document of format 1 stays one until the run is resumed (REC-28).
   * @throws PULSE_INVALID for what is neither text nor bytes; PULSE_CORRUPT naming the place in the document; PULSE_NEWER_FORMAT; PULSE_CONFLICT when the run is there;
   *   PULSE_BUSY; PULSE_STORE, after which the run may be there (STORE-4)
   */
  import(document: string | Uint8Array, options?: CallOptions): Promise<ImportedRun>;
  /** Interrupts the runs of this object, waits until their sessions are closed, and closes the store. Idempotent. */
  close(): Promise<void>;
}

/** Durable execution on a store: `await using pulse = durable({ store })`. @throws PULSE_INVALID for options that cannot be */
export function durable(options: DurableOptions): Durable {
  checkDurableOptions(options);
  return durableAround(options);
}

/** The same of options that were checked; `around` is given the hooks of each run and gives what core calls instead. */
export function durableAround(options: DurableOptions, around?: RunSurroundings["around"]): Durable {
  const { store, codecs = createCodecs(), host = systemHost } = options;
  const active = new Set<Promise<BegunRun<never>>>();
  const known = new WeakMap<AnyGraph, { readonly result: Prepared; readonly registered: number | undefined }>();
  let closing: Promise<void> | undefined;

  const prepared: RunSurroundings["prepared"] = (graph, options, keyIdOf) => {
    // Aspects and overrides are part of the definition, and belong to one run (DUR-23, DUR-29); so do keys that are no longer current.
    if (options.aspects !== undefined || options.overrides !== undefined || keyIdOf !== undefined)
      return prepare(graph, codecs, options, keyIdOf);
    const { registered } = codecs;
    const before = known.get(graph);
    // A codec that was registered since may encrypt what another one would write in clear (CODEC-11).
    if (before !== undefined && before.registered === registered) return before.result;
    const result = prepare(graph, codecs, {});
    known.set(graph, { result, registered });
    return result;
  };
  const surroundings: RunSurroundings = { store, codecs, host, prepared, ...(around === undefined ? {} : { around }) };
  const refuseClosed = (doing: string, runId: string, next: NextStep): void => {
    if (closing === undefined) return;
    const message = `${doing} run "${shownRunId(runId)}": this durable execution is closed; make another one on the store`;
    throw new PulseError("PULSE_USAGE", message, { details: { rule: "DUR-30", runId, next } });
  };
  const begin = async <Graph extends AnyGraph>(
    mode: OpenMode,
    graph: Graph,
    inputs: InputsOf<Graph>,
    options: RunOptions<Graph>,
  ): Promise<BegunRun<Graph>> => {
    checkRunOptions(options, againOf(mode));
    refuseClosed(mode === "resume" ? "resuming" : "starting", options.runId, againOf(mode));
    // Known before anything of it happens: what is called on the way may close all that is known.
    const begun = Promise.resolve().then(() => beginRun(mode, graph, inputs, options, surroundings));
    const entry = begun as Promise<BegunRun<never>>;
    active.add(entry);
    const forget = (): void => void active.delete(entry);
    begun.then(({ closed }) => closed.then(forget, forget), forget);
    return begun;
  };
  const untilEnd =
    (mode: OpenMode): Durable["run"] =>
    async (graph, inputs, options) =>
      (await begin(mode, graph, inputs, options)).outcome;
  const closeAll = async (): Promise<void> => {
    const reason = new Error("durable execution is closed in this process");
    await Promise.all(
      [...active].map(async (entry) => {
        const begun = await entry.catch(() => undefined);
        await begun?.leave(reason);
      }),
    );
    await store.close?.();
  };
  const close = (): Promise<void> => (closing ??= closeAll());

  return {
    run: untilEnd("run"),
    resume: untilEnd("resume"),
    runOrResume: untilEnd("runOrResume"),
    async start(graph, inputs, options) {
      const { execution, outcome, leave } = await begin("runOrResume", graph, inputs, options);
      const closeRun = (): Promise<void> =>
        leave(new Error(`the handle of run "${shownRunId(options.runId)}" was closed`));
      return {
        runId: options.runId,
        wait: () => outcome,
        cancel: (reason) => execution.cancel(reason),
        snapshot: () => execution.snapshot(),
        close: closeRun,
        [Symbol.asyncDispose]: closeRun,
      };
    },
    async inspect(runId) {
      checkRunId(runId);
      if (store.catalog === undefined) {
        const message = `inspecting run "${shownRunId(runId)}": its store has no catalogue; give one that has`;
        throw new PulseError("PULSE_USAGE", message, { details: { rule: "DUR-14", runId, next: "mend-store" } });
      }
      const { catalog } = store;
      const record = await askingStore(runId, "inspecting", () => catalog.read(runId));
      checkTree(record, { runId, doing: "inspecting" });
      return inspectRecord(record);
    },
    async export(runId) {
      refuseClosed("exporting", runId, "resume");
      return await exportRun(store, runId);
    },
    async import(document, call) {
      refuseClosed("importing", "", "start");
      return await importRun(store, document, call);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
