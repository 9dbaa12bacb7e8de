export { contentWindowMsDefault } from "@pulse-ts/durable/define-store";
export type { CollectedContents } from "./collect.ts";
export type { CollectOptions } from "@pulse-ts/durable/define-store";
export { contentBytesMinDefault, fileStore, foldBytesMinDefault, staleMsDefault, staleMsMin } from "./open.ts";
export type { FileStore, FileStoreOptions } from "./open.ts";
