import { headerKey, mapOfKind, parseEntryKey } from "./entry-key.ts";
import type { EntryKind } from "./entry-key.ts";
import type { AttemptEntry, Header, RecordChange, RecordChanges, RecordEntry, RunRecord } from "./format.ts";
import { recordIndex } from "./record-index.ts";
import type { RecordIndex } from "./record-index.ts";
import { undoMap } from "./undo-map.ts";
import type { UndoMap } from "./undo-map.ts";

/** What a transition decides on: a record, and the opened attempts that no save holds yet (DUR-10). */
export interface RunView {
  readonly record: RunRecord;
  readonly pending: ReadonlyMap<string, AttemptEntry>;
  readonly index: RecordIndex;
}

/** The record of a running run: what is confirmed, and the save that is being made (DUR-2). Everything costs what changes. */
export interface LiveRecord {
  /** Only {@link Draft.confirm} moves it. */
  readonly confirmed: RunView;
  /** Keeps an opened attempt until a save that depends on it takes it along (DUR-20). */
  pend(id: string, entry: AttemptEntry): void;
  /** Begins the next save. One at a time: the one before must be confirmed or abandoned. */
  draft(): Draft;
}

/** The changes of one save, on a record that is not confirmed yet. */
export interface Draft {
  /** The confirmed record with all that was added: decide each further change on it, in order of admission (DUR-19). */
  readonly view: RunView;
  /** `next` for the store: plain maps, its revision one above the confirmed one. Live until the draft ends. */
  readonly record: RunRecord;
  add(changes: RecordChanges): void;
  /** Nothing was added. */
  readonly isEmpty: boolean;
  /** Each key at most once (REC-31); the header only when more than its revision changed. */
  changes(): RecordChanges;
  /** The store confirmed the save. */
  confirm(): void;
  /** The save erred: what is confirmed stays as it was. */
  abandon(): void;
}

type Maps = { [Name in (typeof mapOfKind)[EntryKind]]: UndoMap<RecordEntry> };
type Mutable<Shape> = { -readonly [Field in keyof Shape]: Shape[Field] };

/** One entry that a draft touches: where it stands, and what was there before. */
interface Touched {
  readonly kind: EntryKind;
  readonly ids: string;
  readonly map: UndoMap<RecordEntry>;
  readonly before: RecordEntry | undefined;
}

/** Takes over a loaded record: its maps are changed in place from now on. */
export function liveRecord(loaded: RunRecord): LiveRecord {
  const maps = Object.fromEntries(
    Object.values(mapOfKind).map((name) => [name, undoMap(ownMap(loaded[name]))]),
  ) as unknown as Maps;
  const pending = new Map<string, AttemptEntry>();
  const index = recordIndex(loaded);
  let open = false;

  // Each map holds the entries of its own kind: changes are sorted by their keys.
  const mapsOf = (side: "now" | "before"): Omit<RunRecord, "header"> =>
    Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, map[side]])) as unknown as Omit<
      RunRecord,
      "header"
    >;
  const now = mapsOf("now");
  const confirmedRecord: Mutable<RunRecord> = { header: loaded.header, ...mapsOf("before") };
  const confirmed: RunView = { record: confirmedRecord, pending, index };

  const draft = (): Draft => {
    if (open) throw new Error("a run has one save at a time: end the draft before first");
    open = true;
    const { header } = confirmedRecord;
    const record: Mutable<RunRecord> = { header: { ...header, revision: header.revision + 1 }, ...now };
    let headerChanged = false;
    const touched = new Map<string, Touched>();

    const touch = (key: string): Touched => {
      const known = touched.get(key);
      if (known !== undefined) return known;
      const { kind, ids } = partsOf(key);
      const map = maps[mapOfKind[kind]];
      const entry: Touched = { kind, ids, map, before: map.now.get(ids) };
      touched.set(key, entry);
      return entry;
    };
    const add = (change: RecordChange): void => {
      if (change.key === headerKey) {
        record.header = { ...(change as { entry: Header }).entry, revision: record.header.revision };
        headerChanged = true;
        return;
      }
      const { kind, ids, map } = touch(change.key);
      const entry = change.kind === "put" ? change.entry : undefined;
      index.follow(kind, ids, entry, map.now.get(ids));
      if (entry === undefined) map.delete(ids);
      else map.put(ids, entry);
    };
    const changes = (): RecordChanges => {
      const list: RecordChange[] = headerChanged ? [{ kind: "put", key: headerKey, entry: record.header }] : [];
      for (const [key, { ids, map, before }] of touched) {
        const entry = map.now.get(ids);
        if (entry !== undefined) list.push({ kind: "put", key, entry });
        else if (before !== undefined) list.push({ kind: "delete", key });
      }
      return list;
    };
    return {
      view: { record, pending, index },
      record,
      add(list) {
        for (const change of list) add(change);
      },
      get isEmpty() {
        return touched.size === 0 && !headerChanged;
      },
      changes,
      confirm() {
        for (const { kind, ids, map } of touched.values()) {
          if (kind === "attempt") pending.delete(ids);
          map.keep();
        }
        confirmedRecord.header = record.header;
        open = false;
      },
      abandon() {
        for (const { kind, ids, map, before } of touched.values()) {
          const waiting = kind === "attempt" ? pending.get(ids) : undefined;
          // An attempt that only this save held is pending again, and stays known.
          if (waiting === undefined) index.follow(kind, ids, before, map.now.get(ids));
          else index.addAttempt(ids, waiting);
        }
        for (const { map } of touched.values()) map.undo();
        open = false;
      },
    };
  };

  return {
    confirmed,
    pend(id, entry) {
      pending.set(id, entry);
      index.addAttempt(id, entry);
    },
    draft,
  };
}

function partsOf(key: string): { readonly kind: EntryKind; readonly ids: string } {
  const parsed = parseEntryKey(key);
  if (parsed === undefined) throw new Error(`no entry can have the key ${JSON.stringify(key)}`);
  return parsed;
}

/** A record's maps are plain ones wherever it was loaded; a view is copied once. */
function ownMap(map: ReadonlyMap<string, RecordEntry>): Map<string, RecordEntry> {
  return map instanceof Map ? map : new Map(map);
}
