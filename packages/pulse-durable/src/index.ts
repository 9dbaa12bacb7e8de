export { durable } from "./durable.ts";
export type { Durable } from "./durable.ts";
export type { NextStep, RunErrorDetails } from "./errors.ts";
export type { RunEvent, RunEventBody, RunObserver } from "./events.ts";
export { fakeHost } from "./fake-host.ts";
export type { FakeHost, FakeHostOptions } from "./fake-host.ts";
export type { RunHandle } from "./handle.ts";
export type {
  AttemptInspection,
  NodeInspection,
  OutputInspection,
  RunInspection,
  ScopeInspection,
} from "./inspect.ts";
export type { DurableOptions, RunOptions } from "./options.ts";
export { attemptKey, headerKey, mapOfKind, nodeKey, parseEntryKey, scopeKey } from "./record/entry-key.ts";
export { memoryStore } from "./memory-store.ts";
export { decodeEntry, encodeEntry } from "./record/entry-json.ts";
export type { EntryPlace } from "./record/entry-json.ts";
export { entriesOf, recordBuilder } from "./record/fold.ts";
export type { RecordBuilder } from "./record/fold.ts";
export { recordFormat } from "./record/format.ts";
export type * from "./record/format.ts";
export { catalogPageDefault } from "./store.ts";
export type { CallOptions, Catalog, CatalogPage, CatalogQuery, CatalogRun, Session, Store } from "./store.ts";
export { checkRunId } from "./run-id.ts";
