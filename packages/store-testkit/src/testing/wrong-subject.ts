import type { StoreSubject } from "../subject.ts";
import { mistakes } from "./mistakes/all-mistakes.ts";

const found = mistakes.find(({ caughtBy }) => caughtBy.includes("STORE-3.conflict"));
if (found === undefined) throw new Error("no mistake is caught by STORE-3.conflict");

/** A store without compare and swap. */
export const subject: StoreSubject = {
  ...found.subject,
  name: "wrong",
  without: { "STORE-5": "it has no processes", "KIT-2": "it has no processes", "KIT-3": "it has no processes" },
};
