import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots whose lock stays", { mistake: "leaves the lock of the dead" });
