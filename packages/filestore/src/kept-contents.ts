import type { RecordChanges } from "@pulse-ts/durable";
import { putContents } from "./content.ts";
import type { Content } from "./content.ts";
import { contentsOf, namingContents } from "./content-values.ts";
import type { Doing } from "./failure.ts";
import type { Parts } from "./parts.ts";

/** What one session keeps as contents. */
export interface KeptContents {
  /** A save as it stands in a file, and the contents that must be in their place before it. Touches nothing. */
  plan(changes: RecordChanges): { readonly changes: RecordChanges; readonly contents: readonly Content[] };
  /** Puts them there (STORE-8). @throws PULSE_STORE, PULSE_CORRUPT */
  put(doing: Doing, contents: readonly Content[]): Promise<void>;
}

export function keptContents(parts: Parts): KeptContents {
  /** What was put with its bytes. As long as this session is open no collection removes it. */
  const kept = new Set<string>();
  return {
    plan(changes) {
      const contents = contentsOf(changes, parts.contentBytesMin).filter(({ digest }) => !kept.has(digest));
      if (kept.size === 0 && contents.length === 0) return { changes, contents };
      const named = new Set(contents.flatMap(({ digest, bytes }) => (bytes === undefined ? [] : [digest])));
      return {
        changes: changes.map((change) => namingContents(change, (digest) => kept.has(digest) || named.has(digest))),
        contents,
      };
    },
    async put(doing, contents) {
      await putContents(parts, doing, contents);
      for (const { digest, bytes } of contents) if (bytes !== undefined) kept.add(digest);
    },
  };
}
