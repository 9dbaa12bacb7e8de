import type { RecordChanges } from "@pulse-ts/durable";
import { contentPlan } from "@pulse-ts/durable/define-store";
import type { Content, Doing } from "@pulse-ts/durable/define-store";
import { putContents } from "./content.ts";
import type { Parts } from "./parts.ts";

/** What one session keeps as contents. */
export interface KeptContents {
  /** A save as it stands in a file, and the contents that must be in their place before it. Touches nothing. */
  plan(changes: RecordChanges): { readonly changes: RecordChanges; readonly contents: readonly Content[] };
  /** Puts them there (STORE-8). @throws PULSE_STORE, PULSE_CORRUPT */
  put(doing: Doing, contents: readonly Content[]): Promise<void>;
}

export function keptContents(parts: Parts): KeptContents {
  const plan = contentPlan(parts.contentBytesMin);
  return {
    plan: (changes) => plan.plan(changes),
    async put(doing, contents) {
      await putContents(parts, doing, contents);
      plan.kept(contents);
    },
  };
}
