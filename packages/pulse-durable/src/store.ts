import type { RecordChanges, RunRecord } from "./record/format.ts";

/** What a store call may be given beside its arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/**
 * Keeps run records (60-stores.md). Safe for concurrent use; different runs are independent (STORE-1).
 * A store knows nothing of graphs.
 */
export interface Store {
  /**
   * Takes the run for this process until the session is closed (STORE-2). A run that need not exist yet may be acquired.
   * @throws PULSE_BUSY at once when somebody else owns the run; PULSE_STORE when the medium fails;
   *   PULSE_INVALID when the run id cannot be kept.
   */
  acquire(runId: string, options?: CallOptions): Promise<Session>;
  /** Lists, reads, counts and deletes runs without owning them (STORE-7). */
  readonly catalog?: Catalog;
  /** Releases what the store itself holds, if anything. Idempotent. */
  close?(): Promise<void>;
}

/** The ownership of one run. Calls after `close` are PULSE_USAGE errors (STORE-2). */
export interface Session {
  /** An isolated copy of the record (STORE-3). @throws PULSE_NOT_FOUND, PULSE_CORRUPT, PULSE_NEWER_FORMAT, PULSE_STORE */
  load(options?: CallOptions): Promise<RunRecord>;
  /**
   * Compares and swaps: `expectedRevision` 0 for the first save, and `next.header.revision === expectedRevision + 1`.
   * `changes` is what makes `next` out of the record before; a store may write either (REC-24). They hold the header only
   * when more than its `revision` changed: a store that writes `changes` keeps the revision itself and gives it back
   * in the header that it loads.
   * The caller changes neither `next` nor `changes` until the call has settled; afterwards `next` is the caller's again,
   * and a store that keeps it copies it before. Its maps are plain `Map`s. One save at a time.
   * Any error may mean that it was written (STORE-4), but PULSE_CONFLICT: nothing changed.
   * @throws PULSE_CONFLICT, PULSE_OWNERSHIP_LOST (STORE-6), PULSE_STORE
   */
  save(next: RunRecord, expectedRevision: number, changes: RecordChanges, options?: CallOptions): Promise<void>;
  /** Reads big bytes by their digest and checks them (STORE-10). Absent when the store keeps no content apart. */
  content?(digest: string, options?: CallOptions): Promise<Uint8Array>;
  /** Ends the ownership. Idempotent; waits for its own save in flight. */
  close(): Promise<void>;
}

/** Reads and deletes runs without owning them (STORE-7). */
export interface Catalog {
  /** One page of runs in ascending order of run id. */
  list(query?: CatalogQuery): Promise<CatalogPage>;
  /** The record as it was last saved. @throws PULSE_NOT_FOUND, PULSE_CORRUPT, PULSE_NEWER_FORMAT, PULSE_STORE */
  read(runId: string): Promise<RunRecord>;
  /**
   * Reads the bytes that a record of this run names as `content`, and checks them against the digest (STORE-10). Absent
   * when the store keeps no content apart. The run may have changed since it was read, and contents that nothing names
   * any more go in time. @throws PULSE_CORRUPT naming the file when they are damaged or missing, PULSE_STORE
   */
  content?(runId: string, digest: string): Promise<Uint8Array>;
  /** Deletes a run that nobody owns; deleting one that is not there is harmless. @throws PULSE_BUSY, PULSE_STORE */
  delete(runId: string): Promise<void>;
  count(query?: Pick<CatalogQuery, "status" | "prefix">): Promise<number>;
}

export interface CatalogQuery {
  readonly status?: RunRecord["header"]["status"];
  /** Only run ids that begin with this. */
  readonly prefix?: string;
  /** The `next` of the page before. */
  readonly after?: string;
  /** Runs a page; default {@link catalogPageDefault}. */
  readonly limit?: number;
}

export const catalogPageDefault = 100;

export interface CatalogPage {
  readonly runs: readonly CatalogRun[];
  /** Give it as `after` for the next page; absent on the last. */
  readonly next?: string;
}

export interface CatalogRun {
  readonly runId: string;
  readonly status: RunRecord["header"]["status"];
  readonly revision: number;
  readonly version: string;
  readonly resumes: number;
  /** Set when this run's record could not be read: one damaged run does not hide the others. */
  readonly problem?: string;
}
