import { idsKey } from "../record/entry-key.ts";
import type { RunRecord, StreamEntry } from "../record/format.ts";
import type { KeyView } from "./definition-view.ts";
import type { CheckedParts } from "./parts.ts";

/** A stream of the record: what its groups share, as the first of them has it, and the groups. */
export interface SourceParts {
  readonly sourceId: string;
  /** The entry key of its first group: problems of the stream as a whole are named by it. */
  readonly key: string;
  readonly first: StreamEntry;
  readonly groups: readonly StreamEntry[];
  /** The key of its writing node, when the definition is at hand and has it as a stream. */
  readonly written?: WrittenKey;
}

/** A key whose stream its own node writes. */
export type WrittenKey = KeyView & { readonly stream: NonNullable<KeyView["stream"]> };

/** The streams of a record by the ids of their entries' keys, in the order of the record. */
export function sourcesOf(parts: CheckedParts): ReadonlyMap<string, SourceParts> {
  const sources = new Map<string, SourceParts & { readonly groups: StreamEntry[] }>();
  for (const [ids, entry] of parts.record.streams) {
    // An id is hex, which no key encodes.
    const sourceId = ids.slice(0, ids.indexOf("/"));
    const known = sources.get(sourceId);
    if (known !== undefined) {
      known.groups.push(entry);
      continue;
    }
    const written = writtenKey(parts, entry);
    const source = { sourceId, key: `stream/${ids}`, first: entry, groups: [entry] };
    sources.set(sourceId, written === undefined ? source : { ...source, written });
  }
  return sources;
}

/** The key that a stream's entry says it was opened for, if the definition's node writes a stream there. */
export function writtenKey({ record, definition }: CheckedParts, entry: StreamEntry): WrittenKey | undefined {
  const path = record.scopes.get(entry.scope)?.path;
  if (path === undefined || definition === undefined) return undefined;
  const provides = definition.graph(path)?.nodes.get(entry.nodeId)?.provides ?? [];
  const key = provides.find(({ name }) => name === entry.key);
  const stream = key?.stream;
  if (key === undefined || stream?.path !== path || stream.nodeId !== entry.nodeId || stream.key !== entry.key) {
    return undefined;
  }
  return { ...key, stream };
}

/** The entry of one group. */
export function groupOf(record: RunRecord, sourceId: string, group: string): StreamEntry | undefined {
  return record.streams.get(idsKey(sourceId, group));
}
