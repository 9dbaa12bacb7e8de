/** Entry keys: a kind and its ids, each percent-encoded, joined by `/` (REC-27). */

export const headerKey = "header" as const;

/** The key of an entry inside its map of {@link RunRecord}: the ids alone, percent-encoded and joined. */
export function idsKey(...ids: readonly string[]): string {
  return ids.map(encoded).join("/");
}

/** Most ids hold nothing to encode, and records hold many. */
const plainId = /^[\w.!~*'()-]*$/;
const plainIds = /^[\w.!~*'()/-]*$/;

function encoded(id: string): string {
  return plainId.test(id) ? id : encodeURIComponent(id);
}

export const scopeKey = (id: string): string => `scope/${idsKey(id)}`;
export const nodeKey = (scope: string, nodeId: string): string => `node/${idsKey(scope, nodeId)}`;
export const attemptKey = (id: string): string => `attempt/${idsKey(id)}`;
export const streamKey = (sourceId: string, group: string): string => `stream/${idsKey(sourceId, group)}`;
export const messageKey = (sourceId: string, sequence: number): string => `message/${messageIds(sourceId, sequence)}`;
export const managedKey = (scope: string, parent: string, nodeId: string): string =>
  `managed/${idsKey(scope, parent, nodeId)}`;

/** One try of a message, by what its key names (REC-12). */
export interface TryPlace {
  readonly sourceId: string;
  readonly group: string;
  readonly sequence: number;
  /** The handling node, and its root attempt. */
  readonly nodeId: string;
  readonly parent: string;
}

export const tryKey = (place: TryPlace, index: number): string => `try/${tryIds(place, index)}`;

/** The key of a message inside its map of the record. */
export const messageIds = (sourceId: string, sequence: number): string => idsKey(sourceId, String(sequence));

/** The key of a try inside its map of the record. */
export function tryIds({ sourceId, group, sequence, nodeId, parent }: TryPlace, index: number): string {
  return idsKey(sourceId, group, String(sequence), nodeId, parent, String(index));
}

/** The kinds of entries that have ids, and the map of the record each lives in. */
export const mapOfKind = {
  scope: "scopes",
  node: "nodes",
  attempt: "attempts",
  stream: "streams",
  message: "messages",
  try: "tries",
  managed: "managed",
} as const;

export type EntryKind = keyof typeof mapOfKind;

/** How many ids the key of each kind has. */
const idCounts: Readonly<Record<EntryKind, number>> = {
  scope: 1,
  node: 2,
  attempt: 1,
  stream: 2,
  message: 2,
  try: 6,
  managed: 3,
};

/** Takes an entry key apart; `undefined` for one that no entry can have. `header` has no ids. */
export function parseEntryKey(key: string): { readonly kind: EntryKind; readonly ids: string } | undefined {
  const cut = key.indexOf("/");
  if (cut < 0) return undefined;
  const kind = key.slice(0, cut);
  return Object.hasOwn(mapOfKind, kind) ? { kind: kind as EntryKind, ids: key.slice(cut + 1) } : undefined;
}

/** The ids behind the key of a map of the record; `undefined` unless it is exactly what {@link idsKey} writes for this kind. */
export function parseIds(kind: EntryKind, ids: string): readonly string[] | undefined {
  if (plainIds.test(ids)) {
    const parts = ids.split("/");
    return parts.length === idCounts[kind] ? parts : undefined;
  }
  try {
    const parsed = ids.split("/").map(decodeURIComponent);
    return parsed.length === idCounts[kind] && idsKey(...parsed) === ids ? parsed : undefined;
  } catch {
    // A % that begins no byte, or bytes that are no UTF-8.
    return undefined;
  }
}
