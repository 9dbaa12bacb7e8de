export { contentWindowMsDefault } from "./collect.ts";
export type { CollectedContents, CollectOptions } from "./collect.ts";
export { contentBytesMinDefault, fileStore, foldBytesMinDefault, staleMsDefault, staleMsMin } from "./open.ts";
export type { FileStore, FileStoreOptions } from "./open.ts";
