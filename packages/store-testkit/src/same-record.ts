import { entriesOf, headerKey } from "@pulse-ts/durable";
import type { ReadyContent, RecordEntry, RunRecord } from "@pulse-ts/durable";
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

/** The values of an entry with their bytes in place of their contents: those of a node, and those of streams. */
async function withBytes(key: string, entry: RecordEntry, fetch: FetchContent | undefined): Promise<unknown> {
  // A header may have anything in it, and no values.
  return key === headerKey ? entry : filled(key, entry, fetch);
}

async function filled(key: string, data: unknown, fetch: FetchContent | undefined): Promise<unknown> {
  if (typeof data !== "object" || data === null || data instanceof Uint8Array) return data;
  if (isReadyContent(data)) return withItsBytes(key, data, fetch);
  if (Array.isArray(data)) return Promise.all(data.map((part) => filled(key, part, fetch)));
  const fields = Object.entries(data).map(async ([field, part]) => [field, await filled(key, part, fetch)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

function isReadyContent(data: object): data is ReadyContent {
  return (data as Partial<ReadyContent>).state === "ready" && "content" in data;
}

async function withItsBytes(key: string, value: ReadyContent, fetch: FetchContent | undefined): Promise<unknown> {
  const { content, ...rest } = value;
  if (content.digest !== value.digest) throw unmet(`${key}: content ${content.digest}`, `its digest ${value.digest}`);
  if (fetch === undefined) throw unmet(`${key}: a content`, "bytes, where the session has no `content` to read it");
  const bytes = await fetch(content.digest);
  if (bytes.length !== content.size) throw unmet(`${key}: a content of ${bytes.length} bytes`, `${content.size}`);
  return { ...rest, bytes };
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
