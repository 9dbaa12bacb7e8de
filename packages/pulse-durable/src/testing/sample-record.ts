import { createHash } from "node:crypto";
import type {
  AttemptEntry,
  Header,
  NodeEntry,
  ReadyBytes,
  RunRecord,
  ScopeEntry,
  SkippedValue,
} from "../record/format.ts";
import { idsKey } from "../record/entry-key.ts";

/** Small records for tests. Ids are a letter repeated, so that a failing test can be read. */

export const idOf = (letter: string): string => letter.repeat(32);
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export const rootId = idOf("0");

export const sampleHeader = (fields: Partial<Header> = {}): Header => ({
  format: 2,
  runId: "run",
  revision: 1,
  version: "1",
  definition: digestOf("definition"),
  inputs: digestOf("inputs"),
  rootScope: rootId,
  status: "running",
  resumes: 0,
  ...fields,
});

export const rootScope: ScopeEntry = { graph: "order", path: "", inputs: digestOf("inputs"), bindings: false };

export const readyValue = (name: string, text: string): ReadyBytes => ({
  name,
  codec: "string",
  codecVersion: "1",
  state: "ready",
  digest: digestOf(text),
  bytes: new TextEncoder().encode(text),
});

export const skippedValue = (name: string): SkippedValue => ({
  name,
  codec: "string",
  codecVersion: "1",
  state: "skipped",
});

export const rootAttempt = (nodeId: string, fields: Partial<AttemptEntry> = {}): AttemptEntry => ({
  parent: rootId,
  nodeId,
  boundary: "",
  index: 1,
  limit: 1,
  state: "active",
  ...fields,
});

interface SampleParts {
  readonly header?: Partial<Header>;
  readonly scopes?: Readonly<Record<string, ScopeEntry>>;
  readonly attempts?: Readonly<Record<string, AttemptEntry>>;
  /** By scope id, then by node id. */
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, NodeEntry>>>>;
}

/** A record with a root scope and the given parts. */
export function sampleRecord(parts: SampleParts = {}): RunRecord {
  const nodes = new Map<string, NodeEntry>();
  for (const [scope, entries] of Object.entries(parts.nodes ?? {})) {
    for (const [nodeId, entry] of Object.entries(entries)) nodes.set(idsKey(scope, nodeId), entry);
  }
  return {
    header: sampleHeader(parts.header),
    scopes: new Map(Object.entries({ [rootId]: rootScope, ...parts.scopes })),
    attempts: new Map(Object.entries(parts.attempts ?? {})),
    nodes,
    streams: new Map(),
    messages: new Map(),
    tries: new Map(),
    managed: new Map(),
  };
}
