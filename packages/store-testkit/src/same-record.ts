import { entriesOf } from "@pulse-ts/durable";
import type { RecordEntry, RunRecord, ValueRecord } from "@pulse-ts/durable";
import { shown, unmet } from "./expectation.ts";

/** Reads the bytes of a value that a record names as `content` (STORE-10). */
export type FetchContent = (digest: string) => Promise<Uint8Array>;

/**
 * Compares a record, its contents fetched, with the one that it must be. @throws an Error that names the entry, the field
 * and both values where they part
 */
export async function sameRecord(
  what: string,
  seen: RunRecord,
  wanted: RunRecord,
  fetch: FetchContent | undefined,
): Promise<void> {
  const found = entriesByKey(what, seen);
  for (const change of entriesOf(wanted)) {
    if (change.kind !== "put") continue;
    const entry = found.get(change.key);
    if (entry === undefined) throw unmet(`${what} has no entry ${change.key}`, shown(change.entry));
    found.delete(change.key);
    const difference = firstDifference(await withBytes(change.key, entry, fetch), change.entry, change.key);
    if (difference === undefined) continue;
    throw unmet(`${what}, at ${difference.at}: ${shown(difference.seen)}`, shown(difference.wanted));
  }
  for (const [key, entry] of found) throw unmet(`${what} has an entry ${key}: ${shown(entry)}`, "no such entry");
}

function entriesByKey(what: string, record: RunRecord): Map<string, RecordEntry> {
  const maps = [record?.scopes, record?.nodes, record?.attempts, record?.streams, record?.messages, record?.tries];
  for (const map of [...maps, record?.managed]) {
    if (!(map instanceof Map)) throw unmet(`${what} is ${shown(record)}`, "a record, its maps plain Maps");
  }
  const entries = new Map<string, RecordEntry>();
  for (const change of entriesOf(record)) if (change.kind === "put") entries.set(change.key, change.entry);
  return entries;
}

/** A node's values with their bytes in place of their contents. */
async function withBytes(key: string, entry: RecordEntry, fetch: FetchContent | undefined): Promise<unknown> {
  const { outputs } = entry as { readonly outputs?: unknown };
  if (!key.startsWith("node/") || !Array.isArray(outputs)) return entry;
  const values: unknown[] = [];
  for (const value of outputs as readonly ValueRecord[]) {
    if (value?.state !== "ready" || !("content" in value)) values.push(value);
    else {
      const { content, ...rest } = value;
      if (content.digest !== value.digest)
        throw unmet(`${key}: content ${content.digest}`, `its digest ${value.digest}`);
      if (fetch === undefined) throw unmet(`${key}: a content`, "bytes, where the session has no `content` to read it");
      const bytes = await fetch(content.digest);
      if (bytes.length !== content.size) throw unmet(`${key}: a content of ${bytes.length} bytes`, `${content.size}`);
      values.push({ ...rest, bytes });
    }
  }
  return { ...entry, outputs: values };
}

interface Difference {
  /** The path to it. */
  readonly at: string;
  readonly seen: unknown;
  readonly wanted: unknown;
}

/** Where two pieces of plain data part first; `undefined` when they are equal. A hole and an `undefined` differ. */
export function firstDifference(seen: unknown, wanted: unknown, at: string): Difference | undefined {
  if (Object.is(seen, wanted)) return undefined;
  const different = { at, seen, wanted };
  if (wanted instanceof Uint8Array) {
    return seen instanceof Uint8Array && Buffer.compare(seen, wanted) === 0 ? undefined : different;
  }
  if (typeof seen !== "object" || typeof wanted !== "object" || seen === null || wanted === null) return different;
  if (seen instanceof Uint8Array || Array.isArray(seen) !== Array.isArray(wanted)) return different;
  const seenFields = new Map<string, unknown>(Object.entries(seen));
  for (const [field, value] of Object.entries(wanted)) {
    const place = `${at}.${field}`;
    if (!seenFields.has(field)) return { at: place, seen: undefined, wanted: value };
    const found = firstDifference(seenFields.get(field), value, place);
    if (found !== undefined) return found;
    seenFields.delete(field);
  }
  for (const [field, value] of seenFields) return { at: `${at}.${field}`, seen: value, wanted: undefined };
  return undefined;
}
