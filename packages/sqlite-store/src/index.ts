export type { Backup, BackupOptions, BackupProgress } from "./backup.ts";
export { contentWindowMsDefault } from "./collect.ts";
export type { CollectedContents, CollectOptions } from "./collect.ts";
export { integrityProblemsMax } from "./integrity.ts";
export type { IntegrityOptions, IntegrityProblem, IntegrityReport } from "./integrity.ts";
export { sqliteStore } from "./open.ts";
export type { SqliteStore } from "./open.ts";
export { busyMsDefault, contentBytesMinDefault, staleMsDefault, staleMsMin } from "./options.ts";
export type { SqliteStoreOptions } from "./options.ts";
