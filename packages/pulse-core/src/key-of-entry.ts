import type { Requirement } from "./context.ts";
import type { AnyKey } from "./key.ts";

/** The key behind an entry of `requires` or `inputs`. */
export const keyOfEntry = (entry: Requirement): AnyKey => (entry.kind === "key" ? entry : entry.key);
