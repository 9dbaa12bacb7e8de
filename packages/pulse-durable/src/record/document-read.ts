import { corruptEntry, decodeEntry, refuseNewerFormat } from "./entry-json.ts";
import type { EntryPlace } from "./entry-json.ts";
import { headerKey, idsKey, mapOfKind } from "./entry-key.ts";
import type { EntryKind } from "./entry-key.ts";
import { mapsWithoutNodes } from "./document-write.ts";
import { recordBuilder } from "./fold.ts";
import type { RecordBuilder } from "./fold.ts";
import type { RunRecord } from "./format.ts";
import { isWellFormed } from "./plain.ts";
import { parseStrict } from "./strict-json.ts";

/**
 * The record that a JSON document holds (REC-26). Any spelling of the document is read, not only the canonical one; its
 * entries are checked by themselves here, and against each other elsewhere.
 * @throws PULSE_CORRUPT naming the place: what is no JSON or no UTF-8, a key that is there twice, a field that is
 *   missing, unknown or of another type, an unpaired surrogate (REC-15); PULSE_NEWER_FORMAT
 */
export function readDocument(document: string | Uint8Array): RunRecord {
  const at = { runId: "", where: "document" };
  const parsed = parseStrict(typeof document === "string" ? document : textOf(document, at));
  if ("problem" in parsed) throw corruptEntry(at, `${parsed.where} ${parsed.problem}`);
  const fields = objectAt(parsed.value, "the document", at);
  const { runId } = fields;
  return recordOf(fields, typeof runId === "string" ? { ...at, runId } : at);
}

function textOf(bytes: Uint8Array, at: EntryPlace): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw corruptEntry(at, `byte ${firstInvalid(bytes)} is no UTF-8`);
  }
}

/** The first byte that no UTF-8 text goes on with: halved down to, since a prefix of a text may end inside a character. */
function firstInvalid(bytes: Uint8Array): number {
  let [valid, invalid] = [0, bytes.length + 1];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: middle <= bytes.length });
      valid = middle;
    } catch {
      invalid = middle;
    }
  }
  return Math.min(valid, bytes.length);
}

function recordOf(fields: JsonObject, at: EntryPlace): RunRecord {
  refuseNewerFormat(fields, at);
  const header = new Map(Object.entries(fields));
  const maps = new Map<string, unknown>();
  for (const name of Object.values(mapOfKind)) {
    if (header.has(name)) maps.set(name, header.get(name));
    header.delete(name);
  }
  const builder = recordBuilder(at.runId);
  put(builder, headerKey, Object.fromEntries(header), at);
  const { format } = builder.view().header;
  if (maps.has("nodes")) throw corruptEntry(at, "nodes stands outside its scope");
  putScopes(builder, mapAt(maps, "scopes", at), at);
  for (const name of mapsWithoutNodes) {
    if (format === 1 && name !== "attempts") {
      if (maps.has(name)) throw corruptEntry(at, `${name} is no field of format 1`);
      continue;
    }
    const kind = kindOfMap(name);
    for (const [ids, entry] of Object.entries(mapAt(maps, name, at))) put(builder, `${kind}/${ids}`, entry, at);
  }
  return builder.view();
}

function putScopes(builder: RecordBuilder, scopes: JsonObject, at: EntryPlace): void {
  for (const [id, fields] of Object.entries(scopes)) {
    const scope = new Map(Object.entries(objectAt(fields, keyOf("scope", [id], at), at)));
    if (!scope.has("nodes")) throw corruptEntry(at, `${keyOf("scope", [id], at)}: nodes is missing`);
    const nodes = objectAt(scope.get("nodes"), `${keyOf("scope", [id], at)}: nodes`, at);
    scope.delete("nodes");
    put(builder, keyOf("scope", [id], at), Object.fromEntries(scope), at);
    for (const [nodeId, node] of Object.entries(nodes)) put(builder, keyOf("node", [id, nodeId], at), node, at);
  }
}

function put(builder: RecordBuilder, key: string, json: unknown, at: EntryPlace): void {
  builder.apply({ kind: "put", key, entry: decodeEntry(key, json, at) });
}

function keyOf(kind: EntryKind, ids: readonly string[], at: EntryPlace): string {
  if (!ids.every(isWellFormed)) throw corruptEntry(at, `a key of ${mapOfKind[kind]} has an unpaired surrogate`);
  return `${kind}/${idsKey(...ids)}`;
}

function kindOfMap(name: string): EntryKind {
  const kinds = Object.keys(mapOfKind) as EntryKind[];
  return kinds.find((kind) => mapOfKind[kind] === name) as EntryKind;
}

type JsonObject = Readonly<Record<string, unknown>>;

function mapAt(maps: ReadonlyMap<string, unknown>, name: string, at: EntryPlace): JsonObject {
  if (!maps.has(name)) throw corruptEntry(at, `${name} is missing`);
  return objectAt(maps.get(name), name, at);
}

function objectAt(value: unknown, what: string, at: EntryPlace): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw corruptEntry(at, `${what} is no object`);
}
