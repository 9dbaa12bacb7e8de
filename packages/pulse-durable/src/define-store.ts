/** What those who write a store need: `@pulse-ts/durable/define-store`. Nothing that a program in use needs. */
export type {
  CatalogAdapter,
  MediumFailure,
  OwnedRun,
  Save,
  SaveResult,
  StoreAdapter,
  WithCatalog,
} from "./define-store/adapter.ts";
export { unlessAborted } from "./define-store/abort.ts";
export { catalogByReading } from "./define-store/catalog-by-reading.ts";
export type { RunReader } from "./define-store/catalog-by-reading.ts";
export { countOptions, listOptions } from "./define-store/catalog-options.ts";
export type { CountQuery } from "./define-store/catalog-options.ts";
export { checkCollectOptions, contentWindowMsDefault } from "./define-store/collect-options.ts";
export type { CollectOptions } from "./define-store/collect-options.ts";
export { contentPlan } from "./define-store/content-plan.ts";
export type { ContentPlan } from "./define-store/content-plan.ts";
export { contentsNamed, contentsNamedBy, contentsOf, isDigest, namingContents } from "./define-store/content-values.ts";
export type { Content } from "./define-store/content-values.ts";
export { defineStore } from "./define-store/define-store.ts";
export { describeHolder, judge, ownHolder, readHolder, systemProbe } from "./define-store/holder.ts";
export type { Holder, ProcessProbe, Started, Verdict } from "./define-store/holder.ts";
export { catalogRunOf, recordOfText, recordText } from "./define-store/record-text.ts";
export {
  busy,
  closedSession,
  conflict,
  corrupt,
  doingWith,
  notFound,
  ownershipLost,
  refusal,
  usage,
} from "./define-store/store-errors.ts";
export type { Doing } from "./define-store/store-errors.ts";
export { checkOptions, isText, optional, shown, wholeFrom } from "./define-store/store-options.ts";
export type { OptionCheck } from "./define-store/store-options.ts";
