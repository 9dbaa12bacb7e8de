import type { RunObserver } from "../events.ts";
import { shownRunId } from "../run-id.ts";
import type { Session, Store } from "../store.ts";
import { confirmedPaths } from "./confirmed-paths.ts";

/**
 * How a run is stopped at a save. `interrupt`: by its host, once the save is confirmed. `lost`: as by a crash before the save
 * is written. `uncertain`: as by a crash after it is written and before the run has heard of it.
 */
export type StopKind = "interrupt" | "lost" | "uncertain";

export interface ShortLifeParts {
  readonly store: Store;
  readonly runId: string;
  readonly kind: StopKind;
  /** The revision that the lives before have seen written; 0 before the first. */
  readonly written: number;
  /** How many saves are written before one is lost. */
  readonly keeps: number;
}

/** One process of a run that dies, or is interrupted, at one of its first saves. */
export interface ShortLife {
  /** What the process works on. Closing it closes nothing: the store behind it outlives the process. */
  readonly store: Store;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Sees what runs. */
  readonly observer: RunObserver;
  /** What stopped the process: the reason of its interruption, or the error of its last save. */
  readonly stopped: Error | undefined;
  /** The revision that is known to be written. */
  readonly written: number;
  /** Settles when the session is closed, or none was acquired: a completed run may still be read by its host (STR-53). */
  readonly closed: () => Promise<void>;
  /** Store calls that have not settled. */
  readonly waiting: number;
  /** What must never happen and has happened (DUR-8, DUR-21). */
  readonly violation: Error | undefined;
}

export function shortLife({ store, runId, kind, written: known, keeps }: ShortLifeParts): ShortLife {
  const interrupting = new AbortController();
  let confirmed: ReadonlySet<string> = new Set();
  let stopped: Error | undefined;
  let violation: Error | undefined;
  let written = known;
  let saves = 0;
  let waiting = 0;
  let closed = Promise.resolve();
  let tellClosed = (): void => {};

  const violated = (found: string): Error =>
    (violation ??= new Error(`run "${shownRunId(runId)}" was stopped at every save, and ${found}`));
  const stop = (how: string): Error => (stopped = new Error(`run "${shownRunId(runId)}": ${how}`));
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    waiting += 1;
    try {
      return await work();
    } finally {
      waiting -= 1;
    }
  };

  const sessionOf = (session: Session): Session => {
    const { content } = session;
    return {
      async load(options) {
        const record = await call(() => session.load(options));
        const { revision } = record.header;
        if (revision < known) throw violated(`its store gave revision ${revision} after it had confirmed ${known}`);
        confirmed = confirmedPaths(record);
        return record;
      },
      async save(next, expectedRevision, changes, options) {
        const { revision } = next.header;
        if (stopped !== undefined) throw violated(`revision ${revision} was to be saved after the stop`);
        if (kind === "lost" && saves === keeps) throw stop("its process died before a save was written");
        await call(() => session.save(next, expectedRevision, changes, options));
        saves += 1;
        written = revision;
        if (kind === "uncertain") throw stop("its process died before it heard that a save was written");
        if (kind === "interrupt") interrupting.abort(stop("it is stopped after every save"));
      },
      ...(content === undefined
        ? {}
        : { content: (digest, options) => call(() => content.call(session, digest, options)) }),
      close: () => call(() => session.close()).finally(tellClosed),
    };
  };
  const acquire: Store["acquire"] = async (id, options) => {
    const session = await call(() => store.acquire(id, options));
    closed = new Promise((resolve) => (tellClosed = resolve));
    return sessionOf(session);
  };

  return {
    store: { acquire },
    closed: () => closed,
    signal: interrupting.signal,
    observer(event) {
      if (event.kind === "node-running" && confirmed.has(event.path)) {
        violated(`its node "${event.path}", which is confirmed, ran again`);
      }
    },
    get stopped() {
      return stopped;
    },
    get written() {
      return written;
    },
    get waiting() {
      return waiting;
    },
    get violation() {
      return violation;
    },
  };
}
