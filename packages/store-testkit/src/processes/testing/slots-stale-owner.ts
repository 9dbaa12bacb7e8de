import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots that accept a stale owner", {
  leaseMs: 300,
  mistake: "accepts a stale owner",
});
