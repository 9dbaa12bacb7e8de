import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots that are written in two parts", { mistake: "writes a save in two parts" });
