import type { AttemptEntry, ScopeEntry, StreamEntry, TryEntry } from "@pulse-ts/durable";

/**
 * What a process under test tells, one line of JSON each, written before the process goes on: whatever kills it later,
 * what it had told by then has arrived, in its order.
 */
export type ChildEvent =
  /** The run was looked for. */
  | { readonly kind: "loaded"; readonly revision: number; readonly entries: readonly ToldEntry[] }
  | { readonly kind: "absent" }
  /** A save was handed to the store, and the store has confirmed it. */
  | { readonly kind: "saving"; readonly revision: number; readonly changes: readonly ToldChange[] }
  | { readonly kind: "saved"; readonly revision: number }
  | ({ readonly kind: "body" } & BodyStart)
  | ({ readonly kind: "message" } & MessageStart)
  /** This process kills itself now, at a fault point. */
  | { readonly kind: "killing"; readonly point: string }
  /** The run was interrupted on purpose, and goes on in the same process. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "ended"; readonly end: RunEnd; readonly budgets: readonly string[] }
  /** What a resume of the ended run gave. */
  | { readonly kind: "ended-again"; readonly end: RunEnd }
  /** How often each fault point was reached in this process. */
  | { readonly kind: "points"; readonly counts: Readonly<Record<string, number>> }
  /** The medium failed, and with it the run; the next process resumes it. */
  | { readonly kind: "store-lost"; readonly message: string }
  /** Something that no run ends with. */
  | { readonly kind: "broken"; readonly message: string };

/** One start of a body. */
export interface BodyStart {
  readonly path: string;
  /** The idempotency key: which scope and node, whatever the process (DUR-25). */
  readonly id: string;
  /** The tries of the retries around the body in its own chain, outermost first. */
  readonly tries: readonly number[];
  /** The same in every run of the graph: the path with the tries of everything around it. Absent where it is not known. */
  readonly place?: string;
}

/** One start of a handler of messages. */
export interface MessageStart {
  /** Of the handling node. */
  readonly path: string;
  /** The idempotency key of the message: which source, group and sequence, whatever the process (DUR-25). */
  readonly id: string;
  /** Which try of the message this is, from 1. */
  readonly attempt: number;
}

/** An entry's key and its content, values by digest and size alone, the header without its revision; canonical JSON. */
export type ToldEntry = readonly [key: string, content: string];
/** `null`: deleted. */
export type ToldChange = readonly [key: string, content: string | null];

/** How a run ended, the same for two runs that ended alike. */
export type RunEnd =
  | { readonly kind: "completed"; readonly outputs: string }
  /** `path` is absent when the record does not tell it (DUR-3). */
  | { readonly kind: "failed"; readonly code: string; readonly path?: string };

/** What the judge reads of entries. */
export type ReadScope = Pick<ScopeEntry, "path">;
export type ReadAttempt = Pick<AttemptEntry, "parent" | "nodeId" | "boundary" | "index" | "limit" | "state">;

export type ReadStream = Pick<
  StreamEntry,
  "scope" | "attempt" | "generation" | "lastSequence" | "ackedThrough" | "pending" | "stopped" | "end"
>;
export type ReadTry = Pick<TryEntry, "limit" | "state">;

/** One line of what a process told. */
export function parseChildEvent(line: string): ChildEvent {
  // Written by `childVoice` of the same package.
  return JSON.parse(line) as ChildEvent;
}
