import type { RecordChanges } from "../record/format.ts";
import { contentsOf, namingContents } from "./content-values.ts";
import type { Content } from "./content-values.ts";

/** Which values of a session are kept as contents (STORE-8). Touches nothing. */
export interface ContentPlan {
  /** A save as the store writes it, and the contents that must be in their place before it. */
  plan(changes: RecordChanges): { readonly changes: RecordChanges; readonly contents: readonly Content[] };
  /** These are in their place now: later saves of this session name them at once. */
  kept(contents: readonly Content[]): void;
}

/** `bytesMin`: values with more bytes than this are kept as contents. */
export function contentPlan(bytesMin: number): ContentPlan {
  /** What was put with its bytes. As long as this session is open no collection removes it. */
  const kept = new Set<string>();
  return {
    plan(changes) {
      const contents = contentsOf(changes, bytesMin).filter(({ digest }) => !kept.has(digest));
      if (kept.size === 0 && contents.length === 0) return { changes, contents };
      const named = new Set(contents.flatMap(({ digest, bytes }) => (bytes === undefined ? [] : [digest])));
      return {
        changes: changes.map((change) => namingContents(change, (digest) => kept.has(digest) || named.has(digest))),
        contents,
      };
    },
    kept(contents) {
      for (const { digest, bytes } of contents) if (bytes !== undefined) kept.add(digest);
    },
  };
}
