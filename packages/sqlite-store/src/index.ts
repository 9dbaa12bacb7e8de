export { sqliteStore } from "./open.ts";
export type { SqliteStore } from "./open.ts";
export { busyMsDefault, contentBytesMinDefault, staleMsDefault, staleMsMin } from "./options.ts";
export type { SqliteStoreOptions } from "./options.ts";
