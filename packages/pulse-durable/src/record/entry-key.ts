/** Entry keys: a kind and its ids, each percent-encoded, joined by `/` (REC-27). */

export const headerKey = "header";

/** The key of an entry inside its map of {@link RunRecord}: the ids alone, percent-encoded and joined. */
export function idsKey(...ids: readonly string[]): string {
  return ids.map(encodeURIComponent).join("/");
}

export const scopeKey = (id: string): string => `scope/${idsKey(id)}`;
export const nodeKey = (scope: string, nodeId: string): string => `node/${idsKey(scope, nodeId)}`;
export const attemptKey = (id: string): string => `attempt/${idsKey(id)}`;

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

/** Takes an entry key apart; `undefined` for one that no entry can have. `header` has no ids. */
export function parseEntryKey(key: string): { readonly kind: EntryKind; readonly ids: string } | undefined {
  const cut = key.indexOf("/");
  if (cut < 0) return undefined;
  const kind = key.slice(0, cut);
  return Object.hasOwn(mapOfKind, kind) ? { kind: kind as EntryKind, ids: key.slice(cut + 1) } : undefined;
}
