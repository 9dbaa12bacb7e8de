import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots");
