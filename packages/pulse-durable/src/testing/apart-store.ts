import { memoryStore } from "../memory-store.ts";
import { mapValues } from "../record/entry-values.ts";
import { entriesOf, recordBuilder } from "../record/fold.ts";
import type { RunRecord } from "../record/format.ts";
import type { Catalog, Store } from "../store.ts";

/** A memory store that loads values apart from their records, as one with a content store does (STORE-10). */
export function apartStore(): Store & { readonly catalog: Catalog } {
  const memory = memoryStore();
  const contents = new Map<string, Uint8Array>();
  return {
    catalog: memory.catalog,
    async acquire(runId, options) {
      const session = await memory.acquire(runId, options);
      return {
        ...session,
        load: async (loading) => contentsApart(await session.load(loading), contents),
        async content(digest) {
          const bytes = contents.get(digest);
          if (bytes === undefined) throw new Error(`no content ${digest}`);
          return bytes;
        },
      };
    },
  };
}

/** The record with its values' bytes named by their digests; the bytes go to `contents`. */
export function contentsApart(record: RunRecord, contents: Map<string, Uint8Array>): RunRecord {
  const builder = recordBuilder(record.header.runId);
  for (const change of entriesOf(record)) {
    if (change.kind === "delete") continue;
    const entry = mapValues(change.key, change.entry, (value) => {
      if (value.state !== "ready" || !("bytes" in value)) return value;
      const { bytes, ...rest } = value;
      contents.set(rest.digest, bytes);
      return { ...rest, content: { digest: rest.digest, size: bytes.length } };
    });
    builder.apply({ ...change, entry });
  }
  return builder.view();
}
