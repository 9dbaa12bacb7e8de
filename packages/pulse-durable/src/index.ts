export type { NextStep, RunErrorDetails } from "./errors.ts";
export { attemptKey, headerKey, mapOfKind, nodeKey, parseEntryKey, scopeKey } from "./record/entry-key.ts";
export { entriesOf, recordBuilder } from "./record/fold.ts";
export type { RecordBuilder } from "./record/fold.ts";
export { recordFormat } from "./record/format.ts";
export type * from "./record/format.ts";
export { catalogPageDefault } from "./store.ts";
export type { CallOptions, Catalog, CatalogPage, CatalogQuery, CatalogRun, Session, Store } from "./store.ts";
