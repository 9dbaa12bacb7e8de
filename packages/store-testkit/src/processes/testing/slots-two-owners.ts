import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots that look before they take", { mistake: "looks before it takes" });
