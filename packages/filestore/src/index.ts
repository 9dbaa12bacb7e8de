export { fileStore, foldBytesMinDefault, staleMsDefault, staleMsMin } from "./open.ts";
export type { FileStore, FileStoreOptions } from "./open.ts";
