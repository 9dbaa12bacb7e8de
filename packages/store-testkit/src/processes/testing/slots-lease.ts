import { slotSubject } from "./slot-subject.ts";

export const subject = slotSubject("slots with a lease", { leaseMs: 300 });
