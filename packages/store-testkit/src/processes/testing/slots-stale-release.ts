import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots that a stale owner releases", {
  leaseMs: 300,
  mistake: "lets a stale owner release",
});
