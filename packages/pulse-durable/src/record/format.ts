/**
 * The run record: names here are the field names in the record (40-record.md).
 * Only serialisable data; what is stored, and nothing else.
 */

/** The record format that this package writes. Format 1 is read and upgraded (REC-28). */
export const recordFormat = 2;

/** Derived, and written in the same save as what decides it. */
export type RunStatus = "running" | "completed" | "failed";

/** The entry `header`: every field of the record that is one value. */
export interface Header {
  readonly format: number;
  readonly runId: string;
  /** The compare-and-swap number, from 1. A store keeps it in step with its own (STORE-3). */
  readonly revision: number;
  /** The host's business version. */
  readonly version: string;
  /** SHA-256 of the whole definition, 64 hex digits (DUR-5). */
  readonly definition: string;
  /** SHA-256 over name, state and fingerprint of each root input (DUR-6). */
  readonly inputs: string;
  /** The ids of the keys that the run's fingerprints of encrypted values are made with (CODEC-19). */
  readonly keyIds?: readonly string[];
  /** Which of `keyIds` each encrypting codec, by its id, makes fingerprints with. Without it the only one. */
  readonly codecKeys?: Readonly<Record<string, string>>;
  readonly rootScope: string;
  readonly status: RunStatus;
  /** How often the run was resumed (DUR-11). */
  readonly resumes: number;
  /** The business failure's text, if the host opted to keep it. */
  readonly failure?: string;
  /** What each part of the definition and each root input was: its path or name, and a short hash. It lets DUR-4 name what was changed. */
  readonly outline?: Readonly<Record<string, string>>;
  /** Unknown optional header fields are kept, not dropped (REC-16). */
  readonly [unknownField: string]: unknown;
}

/** The entry `scope/<id>`: one graph instance inside a run, without its nodes. */
export interface ScopeEntry {
  readonly graph: string;
  /** The static place: empty for the root, else the path of the mount. */
  readonly path: string;
  readonly inputs: string;
  /**
   * True when the fingerprint covers stable `in` bindings and fixed values (REC-3). Absent only in format 1, where that
   * means false (REC-28).
   */
  readonly bindings?: boolean;
}

/** One output of a confirmed node (REC-8, REC-10). */
export type ValueRecord = ReadyBytes | ReadyContent | SkippedValue | StreamValue;

interface ValueHead {
  readonly name: string;
  readonly codec: string;
  readonly codecVersion: string;
}
export interface ReadyBytes extends ValueHead {
  readonly state: "ready";
  /** SHA-256 of the bytes, 64 hex digits. There even for zero bytes. */
  readonly digest: string;
  readonly bytes: Uint8Array;
}
export interface ReadyContent extends ValueHead {
  readonly state: "ready";
  readonly digest: string;
  /** Names the bytes in the store's content store (STORE-8, STORE-10). */
  readonly content: { readonly digest: string; readonly size: number };
}
/** A value that is there. */
export type ReadyValue = ReadyBytes | ReadyContent;

export interface SkippedValue extends ValueHead {
  readonly state: "skipped";
}
/** A stream descriptor in place of a value (REC-10); codec and version are those of the element. */
export interface StreamValue extends ValueHead {
  readonly state: "stream";
  readonly stream: StreamDescriptor;
}
export interface StreamDescriptor {
  readonly sourceId: string;
  /** The writing node's root attempt. */
  readonly attempt: string;
  readonly capacity: number;
  /** Absent in the reference of a mount that was confirmed while the source still wrote (STR-35). */
  readonly end?: "completed" | "failed" | "canceled";
}

/** The entry `node/<scope>/<node>` (REC-7). */
export interface NodeEntry {
  readonly nodeId: string;
  /** The confirmed root attempt. */
  readonly attempt: string;
  readonly reason: "completed" | "skipped";
  readonly outputs: readonly ValueRecord[];
}

export type AttemptState = "active" | "failed" | "confirmed";

/** The entry `attempt/<id>` (REC-4, REC-5). */
export interface AttemptEntry {
  /** The scope for a root attempt, else the outer attempt. */
  readonly parent: string;
  readonly nodeId: string;
  /** Empty for a root attempt, else the retry's place in the effective chain (CKPT-20). */
  readonly boundary: string;
  readonly index: number;
  readonly limit: number;
  readonly state: AttemptState;
}

/** A run of sequences, both ends included. */
export type SequenceRun = readonly [first: number, last: number];

export type StreamEnd = "open" | "completed" | "failed" | "canceled";

/** The entry `stream/<sourceId>/<group>`: one group's account of a stream (REC-11). */
export interface StreamEntry {
  /** Of the writing node. */
  readonly scope: string;
  readonly nodeId: string;
  readonly key: string;
  readonly group: string;
  /** Made once per source, shared by all its groups and aliases (REC-1). */
  readonly sourceId: string;
  /** The writing node's root attempt. */
  readonly attempt: string;
  /** From 1; raised by one with each resume of the run while the stream is open (STR-21). */
  readonly generation: number;
  readonly capacity: number;
  readonly resumable: boolean;
  readonly lastSequence: number;
  /** The writer's last saved position (STR-2). Its name is that of the key. */
  readonly cursor?: ReadyValue;
  /** The frontier (STR-7). */
  readonly ackedThrough: number;
  /** What is not acknowledged, as ascending runs that do not touch: its size is that of the gaps, not of the capacity. */
  readonly pending: readonly SequenceRun[];
  readonly stopped: boolean;
  readonly end: StreamEnd;
}

/** The entry `message/<sourceId>/<sequence>`: there while some group has it pending (REC-31). */
export interface MessageEntry {
  /** Its name is that of the writing node's key. */
  readonly value: ReadyValue;
}

/** The entry `try/<sourceId>/<group>/<sequence>/<node>/<parent>/<index>`: one try of a message (REC-12). */
export interface TryEntry {
  readonly limit: number;
  readonly state: AttemptState;
}

/** The entry `managed/<scope>/<parent>/<node>`: what confirmed messages made of a handling node (REC-13). */
export interface ManagedEntry {
  /** Absent while none was set. Its name is empty. */
  readonly state?: ReadyValue;
  /** Plain values, ready or skipped, in the order in which they were contributed. */
  readonly values: readonly (ReadyValue | SkippedValue)[];
}

/**
 * A record as it is loaded and saved: one map per kind of entry, keyed by the ids of the entry key (REC-27)
 * joined by `/` and percent-encoded, as in the entry key without its kind.
 */
export interface RunRecord {
  readonly header: Header;
  readonly scopes: ReadonlyMap<string, ScopeEntry>;
  readonly nodes: ReadonlyMap<string, NodeEntry>;
  readonly attempts: ReadonlyMap<string, AttemptEntry>;
  readonly streams: ReadonlyMap<string, StreamEntry>;
  readonly messages: ReadonlyMap<string, MessageEntry>;
  readonly tries: ReadonlyMap<string, TryEntry>;
  readonly managed: ReadonlyMap<string, ManagedEntry>;
}

/** What an entry key names. Plain data: strings, numbers, booleans, null, arrays, objects and `Uint8Array`. */
export type RecordEntry =
  | Header
  | ScopeEntry
  | NodeEntry
  | AttemptEntry
  | StreamEntry
  | MessageEntry
  | TryEntry
  | ManagedEntry
  | OpaqueEntry;
/** An entry as it was found, before its shape is checked. */
export interface OpaqueEntry {
  readonly [field: string]: unknown;
}

/** One part of a change: an entry is put or deleted as a whole (REC-27). */
export type RecordChange =
  | { readonly kind: "put"; readonly key: string; readonly entry: RecordEntry }
  | { readonly kind: "delete"; readonly key: string };

/** The changes of one save: each key at most once (REC-31). */
export type RecordChanges = readonly RecordChange[];
