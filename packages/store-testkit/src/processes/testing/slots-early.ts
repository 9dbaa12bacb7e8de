import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots that are acknowledged before they are written", {
  mistake: "acknowledges before it writes",
});
