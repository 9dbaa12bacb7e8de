export { contentWindowMsDefault } from "./collect.ts";
export type { CollectedContents, CollectOptions } from "./collect.ts";
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
