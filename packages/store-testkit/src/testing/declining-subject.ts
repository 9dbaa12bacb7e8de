import { requirements } from "../requirements.ts";
import type { StoreSubject } from "../subject.ts";
import { subject as memory } from "./memory-subject.ts";

/** A store that declares to keep nothing at all. */
export const subject: StoreSubject = {
  ...memory,
  name: "declining",
  without: Object.fromEntries(requirements.map(({ id }) => [id, "it declines everything"])),
};
