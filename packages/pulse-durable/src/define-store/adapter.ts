import type { RecordChanges, RunRecord } from "../record/format.ts";
import type { CallOptions, Catalog, CatalogQuery, CatalogRun } from "../store.ts";
import type { Content } from "./content-values.ts";

/**
 * What a medium can do: all that is left to write for a store of one's own. `defineStore` makes a store of it, and keeps
 * the rest of the contract (page 60): calls in turn, closed sessions, revisions, errors that say what helps.
 */
export interface StoreAdapter {
  /** Where the runs are, for messages: a path or an address, never with a password. */
  readonly medium: string;
  /**
   * Takes the run for this process, whether it exists or not, by an epoch that no earlier owner has.
   * @throws `busy(…)` at once when somebody else owns it (STORE-1)
   */
  own(runId: string, call: CallOptions): Promise<OwnedRun>;
  readonly catalog?: CatalogAdapter;
  /**
   * Values with more bytes than this are given to `save` as contents and named in its changes; leave it out for a store
   * that keeps no contents apart (STORE-8, STORE-10). With it, `OwnedRun.content` must be there.
   */
  readonly contentBytesMin?: number;
  /**
   * What the medium threw, in words, with what helps: `the disk is full; free some space, then resume`. `undefined` for an
   * error that is not the medium's: it goes on as it is. Without `explain` every error counts as the medium's.
   */
  explain?(error: unknown): MediumFailure | undefined;
  close?(): Promise<void>;
}

/** One owned run. One call is at work at a time, `content` apart. */
export interface OwnedRun {
  /** The record as it was last saved, shared with nobody (STORE-3); `undefined` when nothing was ever saved. */
  load(call: CallOptions): Promise<RunRecord | undefined>;
  /**
   * Writes all of it or nothing, in one atomic step with the comparison: only if the run's revision is still
   * `expectedRevision`, and no newer owner took the run (STORE-6). What it throws is an uncertain save (STORE-4).
   */
  save(save: Save, call: CallOptions): Promise<SaveResult>;
  /** The bytes that are kept under a digest; `undefined` when there are none. They are checked by the caller. */
  content?(digest: string, call: CallOptions): Promise<Uint8Array | undefined>;
  /** Ends the ownership. `clean`: no save failed, so nothing is in the air. */
  release(end: { readonly clean: boolean }): Promise<void>;
}

export interface Save {
  readonly runId: string;
  /** 0 for the first save. */
  readonly expectedRevision: number;
  /** `expectedRevision + 1`. */
  readonly revision: number;
  /** What makes the next record of the one before, contents named (REC-24). The first save puts the header. */
  readonly changes: RecordChanges;
  /** The whole next record, for a store that writes it whole. Its big values still have their bytes. */
  readonly next: RunRecord;
  /** To be in their place, on disk, before or with the changes (STORE-8). */
  readonly contents: readonly Content[];
}

/** `conflict`: the revision that was found in place of the expected one; nothing was changed. `fenced`: a newer owner. */
export type SaveResult = "saved" | "fenced" | { readonly conflict: number };

export interface MediumFailure {
  /** What is wrong and what helps, to stand after what was being done. */
  readonly found: string;
  /** The system's own code: `SQLITE_FULL`, `57P01`. */
  readonly systemCode?: string;
}

/** STORE-7, with the calls' options checked and the defaults filled in. */
export interface CatalogAdapter {
  /** At most `limit` runs in ascending order of run id, by UTF-16 units as `<` compares. */
  list(query: CatalogQuery & { readonly limit: number }): Promise<readonly CatalogRun[]>;
  /** `undefined` when there is no such run. */
  read(runId: string): Promise<RunRecord | undefined>;
  content?(runId: string, digest: string): Promise<Uint8Array | undefined>;
  /** Deletes it unless somebody owns it. @throws `busy(…)` */
  delete(runId: string): Promise<void>;
  count(query: Pick<CatalogQuery, "status" | "prefix">): Promise<number>;
}

/** What `defineStore` makes of an adapter with a catalogue, and of one without. */
export type WithCatalog<Adapter extends StoreAdapter> = Adapter extends { readonly catalog: CatalogAdapter }
  ? { readonly catalog: Catalog }
  : { readonly catalog?: Catalog };
