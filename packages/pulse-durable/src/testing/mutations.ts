import { inspect } from "node:util";
import { mapOfKind } from "../record/entry-key.ts";
import type { EntryKind } from "../record/entry-key.ts";
import type { RunRecord } from "../record/format.ts";
import type { Random } from "./random.ts";

/** A record in pieces that may be anything. */
interface LooseRecord {
  header: LooseEntry;
  readonly entries: { kind: EntryKind; ids: string; entry: LooseEntry }[];
  /** What stands in place of a map, by its name. */
  readonly instead: Map<string, unknown>;
}
type LooseEntry = Record<string, unknown>;

/** A field somewhere in an entry. */
interface Site {
  readonly holder: LooseEntry | unknown[];
  readonly key: string;
  readonly value: unknown;
}

export interface Mutation {
  /** What was done, for a failing test. */
  readonly what: string;
  /** As a custom store may give it: not necessarily a record any more. */
  readonly record: RunRecord;
}

/** Damages a copy of a record, mostly in one place, sometimes in up to three. */
export function mutated(record: RunRecord, random: Random): Mutation {
  const loose = loosened(record);
  const times = random.chance(0.7) ? 1 : 1 + random.below(3);
  const what = Array.from({ length: times }, () => {
    const name = random.pick(Object.keys(mutators));
    return `${name} ${mutators[name]?.(loose, random) ?? ""}`;
  });
  return { what: what.join("; "), record: tightened(loose) };
}

function loosened(record: RunRecord): LooseRecord {
  const kinds = Object.keys(mapOfKind) as EntryKind[];
  const entries = kinds.flatMap((kind) =>
    [...record[mapOfKind[kind]]].map(([ids, entry]) => ({
      kind,
      ids,
      entry: structuredClone(entry) as unknown as LooseEntry,
    })),
  );
  return { header: structuredClone(record.header) as LooseEntry, entries, instead: new Map() };
}

function tightened({ header, entries, instead }: LooseRecord): RunRecord {
  const maps = Object.entries(mapOfKind).map(([kind, name]) => [
    name,
    instead.has(name)
      ? instead.get(name)
      : new Map(entries.filter((entry) => entry.kind === kind).map(({ ids, entry }) => [ids, entry])),
  ]);
  return { header, ...Object.fromEntries(maps) } as RunRecord;
}

/** Every field of every entry, at any depth. */
function sitesOf({ header, entries }: LooseRecord): readonly Site[] {
  const sites: Site[] = [];
  const visit = (holder: LooseEntry | unknown[], depth: number): void => {
    for (const [key, value] of Object.entries(holder)) {
      sites.push({ holder, key, value });
      if (isObject(value) && !ArrayBuffer.isView(value) && depth < 5) visit(value, depth + 1);
    }
  };
  // What an earlier mutation put here may be no object.
  for (const part of [header, ...entries.map(({ entry }) => entry)]) if (isObject(part)) visit(part, 0);
  return sites;
}

const put = ({ holder, key }: Site, value: unknown): string => {
  (holder as LooseEntry)[key] = value;
  return `${key} := ${shown(value)}`;
};

const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : inspect(value, { depth: 1, breakLength: Infinity });

const nothing = "(nothing to do)";

function siteOf(loose: LooseRecord, random: Random, fits: (value: unknown) => boolean): Site | undefined {
  const sites = sitesOf(loose).filter(({ value }) => fits(value));
  return sites.length === 0 ? undefined : random.pick(sites);
}

const isObject = (value: unknown): value is LooseEntry => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isIdText = (value: unknown): value is string => isText(value) && /^[0-9a-f]{32}$/.test(value);

function idsOf({ entries, header }: LooseRecord): readonly string[] {
  const ids = entries.filter(({ kind }) => kind === "scope" || kind === "attempt").map((entry) => entry.ids);
  return [...ids, isObject(header) ? String(header["rootScope"]) : "", "f".repeat(32)];
}

const cyclic = (): object => {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
};
const oddValues: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 0,
  () => -1,
  () => 1,
  () => 1.5,
  () => Number.NaN,
  () => 2 ** 53,
  () => Number.MAX_SAFE_INTEGER,
  () => 10n,
  () => true,
  () => false,
  () => "",
  () => "\uD800",
  () => "__proto__",
  () => "a".repeat(100_000),
  () => [],
  () => [undefined],
  () => ({}),
  () => Object.create(null) as unknown,
  () => new Map(),
  () => new Date(0),
  () => new Uint8Array(3),
  () => Symbol("odd"),
  () => () => 1,
  cyclic,
];

const mutators: Readonly<Record<string, (loose: LooseRecord, random: Random) => string>> = {
  flipBytes(loose, random) {
    const site = siteOf(loose, random, (value) => value instanceof Uint8Array && value.length > 0);
    if (site === undefined) return nothing;
    const bytes = new Uint8Array(site.value as Uint8Array);
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return put(site, bytes);
  },
  resizeBytes(loose, random) {
    const site = siteOf(loose, random, (value) => value instanceof Uint8Array);
    if (site === undefined) return nothing;
    const bytes = site.value as Uint8Array;
    return put(site, random.chance(0.5) ? bytes.slice(1) : Uint8Array.of(...bytes, random.below(256)));
  },
  flipText(loose, random) {
    const site = siteOf(loose, random, isText);
    if (site === undefined) return nothing;
    const text = site.value as string;
    const at = random.below(text.length);
    const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(7)));
    return put(site, text.slice(0, at) + flipped + text.slice(at + 1));
  },
  changeNumber(loose, random) {
    const site = siteOf(loose, random, (value) => typeof value === "number");
    if (site === undefined) return nothing;
    const value = site.value as number;
    const others = [value + 1, value - 1, -value, value + 0.5, value * 2 ** 53, 0, Number.MAX_SAFE_INTEGER];
    return put(site, random.pick(others));
  },
  dropField(loose, random) {
    const site = siteOf(loose, random, () => true);
    if (site === undefined) return nothing;
    if (Array.isArray(site.holder)) site.holder.splice(Number(site.key), 1);
    else delete site.holder[site.key];
    return site.key;
  },
  wrongType(loose, random) {
    const site = siteOf(loose, random, () => true);
    return site === undefined ? nothing : put(site, random.pick(oddValues)());
  },
  swapFields(loose, random) {
    const one = siteOf(loose, random, () => true);
    if (one === undefined) return nothing;
    const other = random.pick(sitesOf(loose).filter(({ key }) => key === one.key));
    put(one, other.value);
    return put(other, one.value);
  },
  swapAny(loose, random) {
    const one = siteOf(loose, random, () => true);
    const other = siteOf(loose, random, () => true);
    if (one === undefined || other === undefined) return nothing;
    put(one, other.value);
    return `${one.key} ${put(other, one.value)}`;
  },
  addField(loose, random) {
    const { entry } = random.pick([{ entry: loose.header }, ...loose.entries]);
    if (!isObject(entry)) return nothing;
    const key = random.pick([
      "later",
      "__proto__",
      "bytes",
      "nodes",
      "scopes",
      "streams",
      "bindings",
      "failure",
      "keyIds",
    ]);
    Object.defineProperty(entry, key, {
      configurable: true,
      enumerable: true,
      writable: true,
      value: random.pick(oddValues)(),
    });
    return key;
  },
  dropEntry({ entries }, random) {
    if (entries.length === 0) return nothing;
    return entries.splice(random.below(entries.length), 1)[0]?.kind ?? "";
  },
  duplicateEntry(loose, random) {
    if (loose.entries.length === 0) return nothing;
    const { kind, entry } = random.pick(loose.entries);
    const of = random.pick(loose.entries);
    const ids = random.pick([of.ids, "e".repeat(32), `${"e".repeat(32)}/sum`, "", "a/b/c", "%", "\uD800"]);
    loose.entries.push({ kind, ids, entry: structuredCloneOf(entry) });
    return `${kind}/${ids}`;
  },
  duplicateOutput(loose, random) {
    const lists = sitesOf(loose).filter(({ key, value }) => key === "outputs" && Array.isArray(value));
    if (lists.length === 0) return nothing;
    const [list, from] = [random.pick(lists).value, random.pick(lists).value] as [unknown[], unknown[]];
    if (from.length > 0) list.push(random.pick(from));
    return "outputs";
  },
  swapEntries({ entries }, random) {
    if (entries.length === 0) return nothing;
    const [one, other] = [random.pick(entries), random.pick(entries)];
    // Two tries of one node that change places, each with all that happened in it, are another whole record.
    const tries = one.kind === "attempt" && other.kind === "attempt" && isObject(one.entry) && isObject(other.entry);
    if (tries && one.entry["nodeId"] === other.entry["nodeId"]) return nothing;
    [one.ids, other.ids] = [other.ids, one.ids];
    return `${one.kind} ${other.kind}`;
  },
  rewireId(loose, random) {
    const site = siteOf(loose, random, isIdText);
    return site === undefined ? nothing : put(site, random.pick(idsOf(loose)));
  },
  renameEntry(loose, random) {
    if (loose.entries.length === 0) return nothing;
    const entry = random.pick(loose.entries);
    entry.ids = random.pick([...idsOf(loose), "x", "%61", `${entry.ids}/n`]);
    return `${entry.kind} ${entry.ids}`;
  },
  cycle(loose, random) {
    const attempts = loose.entries.filter(({ kind }) => kind === "attempt");
    if (attempts.length === 0) return nothing;
    const [one, other] = [random.pick(attempts), random.pick(attempts)];
    if (!isObject(one.entry) || !isObject(other.entry)) return nothing;
    one.entry["parent"] = other.ids;
    other.entry["parent"] = one.ids;
    return `${one.ids} ${other.ids}`;
  },
  oddMap({ instead }, random) {
    const name = random.pick(Object.values(mapOfKind));
    instead.set(name, random.pick([undefined, null, {}, [], new Set(), "text", new Map<unknown, unknown>([[1, 2]])]));
    return name;
  },
  oddEntry(loose, random) {
    if (random.chance(0.1)) loose.header = random.pick(oddValues)() as LooseEntry;
    else if (loose.entries.length > 0) random.pick(loose.entries).entry = random.pick(oddValues)() as LooseEntry;
    return "";
  },
  otherFormat(loose, random) {
    if (!isObject(loose.header)) return nothing;
    loose.header["format"] = random.pick([0, 1, 1, 1, 2, 3, 99, 1.5, "1"]);
    return String(loose.header["format"]);
  },
  laterEntry(loose, random) {
    if (!isObject(loose.header)) return nothing;
    if (random.chance(0.5)) loose.header["format"] = 1;
    const id = "7".repeat(32);
    const [kind, ids] = random.pick([
      ["stream", `${id}/g`],
      ["message", `${id}/1`],
      ["try", `${id}/g/1/n/${id}/1`],
      ["managed", `${id}/${id}/n`],
    ] as const);
    loose.entries.push({ kind, ids, entry: {} });
    return kind;
  },
  shuffle({ entries }, random) {
    for (let at = entries.length - 1; at > 0; at -= 1) {
      const other = random.below(at + 1);
      [entries[at], entries[other]] = [entries[other], entries[at]] as [(typeof entries)[0], (typeof entries)[0]];
    }
    return "";
  },
};

/** Of an entry that may hold what cannot be cloned. */
function structuredCloneOf(entry: LooseEntry): LooseEntry {
  try {
    return structuredClone(entry);
  } catch {
    return entry;
  }
}
