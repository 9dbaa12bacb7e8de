/** Streams between nodes: keys, readers and writers (20-streams). A graph without them carries none of it (CORE-39). */
export type { StreamDelivery, StreamReader, WaitOptions } from "./reader.ts";
export type { GroupSnapshot, StreamSnapshot } from "./snapshot.ts";
export { reading, stream } from "./stream-key.ts";
export type { Reading, StreamDeclaration, StreamKey, StreamOptions } from "./stream-key.ts";
export type { StreamWriter } from "./writer.ts";
export { hostGroupDefault } from "./driver.ts";
export { handleMessages, maxStagedDefault, messageLimitDefault } from "./handle-messages.ts";
export type { Handled } from "./handled.ts";
export type { HandleOptions, Message, MessageContext, MessageState } from "./handle-messages.ts";
