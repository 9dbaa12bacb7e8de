import { canonicalText } from "./canonical-text.ts";
import { mapOfKind, parseIds } from "./entry-key.ts";
import { mapValues, valuesIn } from "./entry-values.ts";
import type { NodeEntry, ReadyContent, RecordEntry, RunRecord, ScopeEntry, ValueRecord } from "./format.ts";

/** Gives the bytes of a value that rests in the store's content store. */
export type ContentOf = (value: ReadyContent, nodeKey: string) => Promise<Uint8Array>;

/**
 * A record as one JSON document (REC-26): canonical (RFC 8785), in UTF-8. Its fields are those of the header beside
 * `scopes` with their `nodes`, `attempts`, and, but in format 1, `streams`, `messages`, `tries` and `managed`, by the
 * ids of their entry keys. Contents are fetched one at a time. The record was checked before.
 */
export async function writeDocument(record: RunRecord, contentOf: ContentOf): Promise<Uint8Array> {
  const document = new TextParts();
  const fields = new Map<string, (document: TextParts) => void | Promise<void>>();
  for (const [field, value] of Object.entries(record.header)) {
    fields.set(field, (parts) => parts.put(canonicalText(value)));
  }
  fields.set("scopes", (parts) => writeScopes(record, contentOf, parts));
  for (const name of record.header.format === 1 ? (["attempts"] as const) : mapsWithoutNodes) {
    const kind = kindOfMap[name];
    fields.set(name, (parts) =>
      parts.object([...(record[name] as ReadonlyMap<string, RecordEntry>)], (entry, ids) => {
        if (!namesContent(`${kind}/`, entry)) return parts.put(canonicalText(entry));
        return withContents(`${kind}/${ids}`, entry, contentOf).then((whole) => parts.put(canonicalText(whole)));
      }),
    );
  }
  await document.object([...fields], (write) => write(document));
  return document.bytes();
}

/** Those that stand by themselves; nodes stand in their scopes. */
export const mapsWithoutNodes = Object.values(mapOfKind).filter(
  (name) => name !== "nodes" && name !== "scopes",
) as readonly Exclude<(typeof mapOfKind)[keyof typeof mapOfKind], "nodes" | "scopes">[];

async function writeScopes(record: RunRecord, contentOf: ContentOf, document: TextParts): Promise<void> {
  const nodesOf = new Map<string, [string, NodeEntry][]>();
  for (const [ids, node] of record.nodes) {
    const [scope, nodeId] = parseIds("node", ids) as [string, string];
    const nodes = nodesOf.get(scope);
    if (nodes === undefined) nodesOf.set(scope, [[nodeId, node]]);
    else nodes.push([nodeId, node]);
  }
  await document.object([...record.scopes], async (scope, id) => {
    const fields: [string, ScopeEntry[keyof ScopeEntry] | [string, NodeEntry][]][] = [
      ...Object.entries(scope),
      ["nodes", nodesOf.get(id) ?? []],
    ];
    await document.object(fields, async (value, field) => {
      if (field !== "nodes") return document.put(canonicalText(value));
      const nodes = value as [string, NodeEntry][];
      await document.object(nodes, async (node, nodeId) => {
        document.put(canonicalText(await withBytes(node, `node/${id}/${nodeId} outputs`, contentOf)));
      });
    });
  });
}

/** The kind of the entries of each map that stands by itself. */
const kindOfMap = Object.fromEntries(Object.entries(mapOfKind).map(([kind, name]) => [name, kind])) as Readonly<
  Record<(typeof mapOfKind)[keyof typeof mapOfKind], string>
>;

function namesContent(key: string, entry: RecordEntry): boolean {
  return valuesIn(key, entry).some((value) => "content" in value);
}

/** The entry with the bytes of its values in place of the names of contents. */
async function withContents(key: string, entry: RecordEntry, contentOf: ContentOf): Promise<RecordEntry> {
  const fetched = new Map<ValueRecord, Uint8Array>();
  for (const value of valuesIn(key, entry)) if ("content" in value) fetched.set(value, await contentOf(value, key));
  return mapValues(key, entry, (value) => {
    const bytes = fetched.get(value);
    if (bytes === undefined || !("content" in value)) return value;
    const { content: _, ...head } = value;
    return { ...head, bytes };
  });
}

async function withBytes(node: NodeEntry, place: string, contentOf: ContentOf): Promise<NodeEntry> {
  const outputs: NodeEntry["outputs"][number][] = [];
  for (const output of node.outputs) {
    if (!("content" in output)) {
      outputs.push(output);
      continue;
    }
    const { content: _, ...head } = output;
    outputs.push({ ...head, bytes: await contentOf(output, place) });
  }
  return { ...node, outputs };
}

/** A text of any length: a string ends at half a gigabyte. */
class TextParts {
  readonly #parts: string[] = [];
  readonly #chunks: Buffer[] = [];
  #length = 0;

  put(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= chunkLengthMax) this.#flush();
  }

  /** An object, its keys in canonical order. */
  async object<Value>(
    fields: readonly (readonly [string, Value])[],
    write: (value: Value, key: string) => void | Promise<void>,
  ): Promise<void> {
    let separator = "{";
    // By UTF-16 code units; no key is there twice.
    for (const [key, value] of fields.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      this.put(`${separator}${JSON.stringify(key)}:`);
      const writing = write(value, key);
      if (writing !== undefined) await writing;
      separator = ",";
    }
    this.put(separator === "{" ? "{}" : "}");
  }

  bytes(): Uint8Array {
    this.#flush();
    return new Uint8Array(Buffer.concat(this.#chunks));
  }

  #flush(): void {
    this.#chunks.push(Buffer.from(this.#parts.join("")));
    this.#parts.length = 0;
    this.#length = 0;
  }
}

/** Characters that are gathered before they become bytes. */
const chunkLengthMax = 1 << 20;
