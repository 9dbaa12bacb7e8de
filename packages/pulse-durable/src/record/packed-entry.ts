import { corruptEntry, kindOf, refuseNewerFormat, refused, shapedEntry } from "./entry-json.ts";
import type { EntryPlace } from "./entry-json.ts";
import { headerKey } from "./entry-key.ts";
import type { AttemptEntry, NodeEntry, RecordEntry } from "./format.ts";
import { fromPlainBeside, illFormedPlace, toPlainBeside } from "./plain.ts";

/**
 * An entry as one line of JSON text with its bytes beside it, for stores that keep bytes as they are. The two kinds of
 * entry that a run has most of are lists without field names; every other entry, and one of these with fields that do
 * not fit, is an object whose bytes fields hold their place in `bytes`:
 *
 * ```text
 * attempt   [parent, nodeId, boundary, index, limit, state]
 * node      [nodeId, attempt, reason, [output, …]]
 *   output  [name, codec, codecVersion, digest]          its bytes are the next beside the text
 *           [name, codec, codecVersion, digest, size]    its content rests elsewhere under this digest
 *           [name, codec, codecVersion]                  skipped
 * ```
 */
export interface PackedEntry {
  readonly text: string;
  /** Not copied: the entry's own. */
  readonly bytes: readonly Uint8Array[];
}

/**
 * Writes an entry so that {@link unpackEntry} gives back an equal one, or refuses it; nothing is dropped or changed.
 * @throws PULSE_USAGE, rule REC-15, for a string or key with an unpaired surrogate; rule REC-27 for what is no plain data
 */
export function packEntry(key: string, entry: RecordEntry): PackedEntry {
  const bytes: Uint8Array[] = [];
  const text = listText(key, entry, bytes) ?? objectText(entry, bytes);
  // JSON.stringify escapes unpaired surrogates and no others, so one look at its text stands for a look at each string.
  if (text.includes("\\ud")) {
    const place = illFormedPlace(entry);
    if (place !== undefined) throw refused("REC-15", place);
  }
  return { text, bytes };
}

/**
 * Reads an entry back and checks its shape by the kind that `key` names, as `decodeEntry` does. `bytes` become the
 * entry's own.
 * @throws PULSE_CORRUPT, naming `at.where`, the key and the field; PULSE_NEWER_FORMAT for a header of a later format
 */
export function unpackEntry(key: string, { text, bytes }: PackedEntry, at: EntryPlace): RecordEntry {
  // Most keys are told at a glance.
  const kind = attemptKeyForm.test(key) ? "attempt" : nodeKeyForm.test(key) ? "node" : kindOf(key, at);
  const json = parsed(key, text, at);
  if (kind === headerKey) refuseNewerFormat(json, at);
  if (!Array.isArray(json)) return shapedEntry(key, kind, fromPlainBeside(json, bytes), at);
  const value = kind === "attempt" ? attemptOf(json, bytes) : kind === "node" ? nodeOf(json, bytes) : undefined;
  if (value === undefined) throw corruptEntry(at, `${key}: the list is none that stands for such an entry`);
  // Only an escape can hold an unpaired surrogate: the text itself is well-formed (REC-15).
  const problem = text.includes("\\u") ? illFormedPlace(value) : undefined;
  return shapedEntry(key, kind, problem === undefined ? { value } : { problem }, at);
}

const attemptKeyForm = /^attempt\/[\w.!~*'()-]*$/;
const nodeKeyForm = /^node\/[\w.!~*'()-]*\/[\w.!~*'()-]*$/;

function objectText(entry: RecordEntry, bytes: Uint8Array[]): string {
  bytes.length = 0;
  const plain = toPlainBeside(entry, bytes);
  if ("problem" in plain) throw refused("REC-27", plain.problem);
  return JSON.stringify(plain.value);
}

/** `undefined` for an entry that a list would not give back as it is. */
function listText(key: string, entry: RecordEntry, bytes: Uint8Array[]): string | undefined {
  if (key.startsWith("attempt/")) return attemptText(entry as Unchecked<AttemptEntry>);
  return key.startsWith("node/") ? nodeText(entry as Unchecked<NodeEntry>, bytes) : undefined;
}

/** An entry as a caller gave it. */
type Unchecked<Entry> = { readonly [Field in keyof Entry]: unknown };

function attemptText(entry: Unchecked<AttemptEntry>): string | undefined {
  const { parent, nodeId, boundary, index, limit, state } = entry;
  if (!hasFields(entry, 6) || !areTexts(parent, nodeId, boundary, state)) return undefined;
  return isCount(index) && isCount(limit) ? JSON.stringify([parent, nodeId, boundary, index, limit, state]) : undefined;
}

function nodeText(entry: Unchecked<NodeEntry>, bytes: Uint8Array[]): string | undefined {
  const { nodeId, attempt, reason, outputs } = entry;
  if (!hasFields(entry, 4) || !areTexts(nodeId, attempt, reason) || !Array.isArray(outputs)) return undefined;
  const lists: unknown[] = [];
  for (const output of outputs as readonly unknown[]) {
    const list = outputList(output, bytes);
    if (list === undefined) return undefined;
    lists.push(list);
  }
  return JSON.stringify([nodeId, attempt, reason, lists]);
}

function outputList(output: unknown, bytes: Uint8Array[]): readonly unknown[] | undefined {
  if (typeof output !== "object" || output === null) return undefined;
  const value = output as Readonly<Record<string, unknown>>;
  const { name, codec, codecVersion, state, digest } = value;
  if (!areTexts(name, codec, codecVersion)) return undefined;
  if (state === "skipped") return hasFields(value, 4) ? [name, codec, codecVersion] : undefined;
  if (state !== "ready" || typeof digest !== "string" || !hasFields(value, 6)) return undefined;
  const { bytes: own, content } = value;
  if (own instanceof Uint8Array) {
    bytes.push(own);
    return [name, codec, codecVersion, digest];
  }
  if (typeof content !== "object" || content === null || !hasFields(content, 2)) return undefined;
  const { digest: named, size } = content as { readonly digest?: unknown; readonly size?: unknown };
  return named === digest && (isCount(size) || Object.is(size, 0))
    ? [name, codec, codecVersion, digest, size]
    : undefined;
}

/** Whether it is a plain object with so many fields; which ones, their values tell: a field that is missing is undefined. */
function hasFields(value: object, count: number): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.keys(value).length === count;
}

const areTexts = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === "string");
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

function parsed(key: string, text: string, at: EntryPlace): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw corruptEntry(at, `${key}: the entry is no JSON text`);
  }
}

function attemptOf(list: readonly unknown[], bytes: readonly Uint8Array[]): unknown {
  if (list.length !== 6 || bytes.length > 0) return undefined;
  const [parent, nodeId, boundary, index, limit, state] = list;
  return { parent, nodeId, boundary, index, limit, state };
}

function nodeOf(list: readonly unknown[], bytes: readonly Uint8Array[]): unknown {
  const [nodeId, attempt, reason, lists] = list;
  if (list.length !== 4 || !Array.isArray(lists)) return undefined;
  let next = 0;
  const outputs: unknown[] = [];
  for (const output of lists as readonly unknown[]) {
    if (!Array.isArray(output)) return undefined;
    const [name, codec, codecVersion, digest, size] = output as readonly unknown[];
    if (output.length === 3) outputs.push({ name, codec, codecVersion, state: "skipped" });
    else if (output.length === 5) {
      outputs.push({
        name,
        codec,
        codecVersion,
        state: "ready",
        digest,
        content: { digest, size },
      });
    } else {
      const own = bytes[next];
      if (output.length !== 4 || own === undefined) return undefined;
      next += 1;
      outputs.push({ name, codec, codecVersion, state: "ready", digest, bytes: own });
    }
  }
  return next === bytes.length ? { nodeId, attempt, reason, outputs } : undefined;
}
