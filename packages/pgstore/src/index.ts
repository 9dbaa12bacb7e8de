export { contentWindowMsDefault } from "@pulse-ts/durable/define-store";
export type { CollectedContents } from "./collect.ts";
export type { CollectOptions } from "@pulse-ts/durable/define-store";
export type { Migrated } from "./migrate.ts";
export type { PgNotice } from "./notice.ts";
export {
  acquireMsDefault,
  closeMsDefault,
  connectionsMaxDefault,
  contentBytesMinDefault,
  contentBytesMinMax,
  leaseMsDefault,
  leaseMsMin,
  pgStore,
  schemaDefault,
  statementMsDefault,
} from "./open.ts";
export type { PgStore, PgStoreOptions } from "./open.ts";
