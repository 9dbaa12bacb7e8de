import { headerKey } from "@pulse-ts/durable";
import type { Header, RecordChange, RecordEntry } from "@pulse-ts/durable";
import { mistake, owning } from "./mistake.ts";
import type { Wrong } from "./mistake.ts";

/** Wrong about texts, keys and bytes (KIT-5). */
export const textMistakes = [
  mistake(
    "cuts texts at NUL",
    ["KIT-5.nul"],
    texts((text) => text.split("\0")[0] ?? ""),
  ),
  mistake(
    "keeps the fields of entries in a plain object",
    ["KIT-5.own-names"],
    entries((entry) => {
      const copy: Record<string, unknown> = {};
      for (const [field, value] of Object.entries(entry)) {
        copy[field] =
          field === "later" || field === "outline" ? assigned(value as Readonly<Record<string, unknown>>) : value;
      }
      return copy;
    }),
  ),
  mistake(
    "takes a dot in a key for a path",
    ["KIT-5.key-spelling"],
    keys((key) => key.replaceAll(".", "_")),
  ),
  mistake(
    "keeps keys in lower case",
    ["KIT-5.key-spelling"],
    keys((key) => key.toLowerCase()),
  ),
  mistake(
    "normalises texts",
    ["KIT-5.unicode"],
    texts((text) => text.normalize("NFC")),
  ),
  mistake(
    "trims texts",
    ["KIT-5.unicode"],
    texts((text) => text.trim()),
  ),
  mistake(
    "cuts texts at 1,000 characters",
    ["KIT-5.long"],
    texts((text) => text.slice(0, 1000)),
  ),
  mistake(
    "drops what it does not know of a header",
    ["KIT-5.plain-data"],
    entries((entry, key) => (key === headerKey ? withoutUnknown(entry as Header) : entry)),
  ),
  mistake(
    "takes no bytes for no value",
    ["KIT-5.empty-bytes"],
    bytes((part) => (part.length === 0 ? Uint8Array.of(0) : part)),
  ),
  mistake(
    "trims zeros from the end of bytes",
    ["KIT-5.each-byte"],
    bytes((part) => part.subarray(0, part.length - /\0*$/.exec(Buffer.from(part).toString("latin1"))![0].length)),
  ),
  mistake(
    "keeps bytes as text",
    ["KIT-5.each-byte", "KIT-5.encoded"],
    bytes((part) => new Uint8Array(Buffer.from(Buffer.from(part).toString("utf8")))),
  ),
  mistake(
    "writes the buffer that bytes are a part of",
    ["KIT-5.part-of-buffer"],
    bytes((part) => (part.buffer.byteLength < 2000 ? new Uint8Array(part.buffer) : part)),
  ),
  mistake(
    "cuts bytes at 8 MiB",
    ["KIT-5.big-bytes"],
    bytes((part) => part.subarray(0, 8 * 1024 * 1024)),
  ),
  mistake(
    "replaces what is no text",
    ["KIT-5.ill-formed"],
    texts((text) => text.replace(/\p{Surrogate}/gu, "\uFFFD")),
  ),
];

const known = ["format", "runId", "revision", "version", "definition", "inputs", "rootScope", "status", "resumes"];

function withoutUnknown(header: Header): RecordEntry {
  return Object.fromEntries(Object.entries(header).filter(([field]) => known.includes(field)));
}

function assigned(table: Readonly<Record<string, unknown>>): unknown {
  const copy: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(table)) copy[field] = value;
  return copy;
}

/** A store that writes other entries than it was given. */
function entries(change: (entry: RecordEntry, key: string) => RecordEntry): Wrong {
  const other = (each: RecordChange): RecordChange =>
    each.kind === "put" ? { ...each, entry: change(each.entry, each.key) } : each;
  return {
    adapter: (right) =>
      owning({ ...right, contentBytesMin: Number.MAX_SAFE_INTEGER }, (owned) => ({
        save: async (save, call) => await owned.save({ ...save, changes: save.changes.map(other) }, call),
      })),
  };
}

function texts(change: (text: string) => string): Wrong {
  return entries((entry) => mapped(entry, { text: change }) as RecordEntry);
}

function bytes(change: (bytes: Uint8Array) => Uint8Array): Wrong {
  return entries((entry) => mapped(entry, { bytes: change }) as RecordEntry);
}

function keys(change: (key: string) => string): Wrong {
  return entries((entry) => mapped(entry, { key: change }) as RecordEntry);
}

interface Parts {
  text?(text: string): string;
  bytes?(bytes: Uint8Array): Uint8Array;
  key?(key: string): string;
}

/** A copy with every text, all bytes or every name of a field in it changed; but names that the format gives. */
function mapped(value: unknown, parts: Parts, depth = 0): unknown {
  if (typeof value === "string") return parts.text?.(value) ?? value;
  if (value instanceof Uint8Array) return parts.bytes?.(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => mapped(item, parts, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([field, part]) => [
    depth > 0 && !formatFields.has(field) ? (parts.key?.(field) ?? field) : field,
    mapped(part, parts, depth + 1),
  ]);
  return Object.fromEntries(fields) as unknown;
}

const formatFields = new Set([
  "name",
  "codec",
  "codecVersion",
  "state",
  "digest",
  "bytes",
  "content",
  "size",
  "stream",
]);
