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
  /** Each key at most once (REC-31); the header only when more than its revision changed. */
  changes(): RecordChanges;
  /** The store confirmed the save. */
  confirm(): void;
  /** The save erred: what is confirmed stays as it was. */
  abandon(): void;
}

type Maps = { [Name in (typeof mapOfKind)[EntryKind]]: UndoMap<RecordEntry> };

/** Takes over a loaded record: its maps are changed in place from now on. */
export function liveRecord(loaded: RunRecord): LiveRecord {
  const maps = Object.fromEntries(
    Object.values(mapOfKind).map((name) => [name, undoMap(ownMap(loaded[name]))]),
  ) as unknown as Maps;
  const pending = new Map<string, AttemptEntry>();
  const index = recordIndex(loaded);
  let header = loaded.header;
  let open = false;

  const recordOf = (side: "now" | "before", headerOf: () => Header): RunRecord => ({
    get header() {
      return headerOf();
    },
    // Each map holds the entries of its own kind: changes are sorted by their keys.
    ...(Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, map[side]])) as unknown as Omit<
      RunRecord,
      "header"
    >),
  });
  const confirmed: RunView = { record: recordOf("before", () => header), pending, index };

  const draft = (): Draft => {
    if (open) throw new Error("a run has one save at a time: end the draft before first");
    open = true;
    let nextHeader: Header = { ...header, revision: header.revision + 1 };
    let headerChanged = false;
    const touched = new Map<string, RecordEntry | undefined>();
    const record = recordOf("now", () => nextHeader);

    const add = (change: RecordChange): void => {
      if (change.key === headerKey) {
        nextHeader = { ...(change as { entry: Header }).entry, revision: nextHeader.revision };
        headerChanged = true;
        return;
      }
      const { kind, ids } = partsOf(change.key);
      const map = maps[mapOfKind[kind]];
      if (!touched.has(change.key)) touched.set(change.key, map.now.get(ids));
      index.apply(change, map.now.get(ids));
      if (change.kind === "put") map.put(ids, change.entry);
      else map.delete(ids);
    };
    const changes = (): RecordChanges => {
      const list: RecordChange[] = headerChanged ? [{ kind: "put", key: headerKey, entry: nextHeader }] : [];
      for (const [key, before] of touched) {
        const { kind, ids } = partsOf(key);
        const entry = maps[mapOfKind[kind]].now.get(ids);
        if (entry !== undefined) list.push({ kind: "put", key, entry });
        else if (before !== undefined) list.push({ kind: "delete", key });
      }
      return list;
    };
    return {
      view: { record, pending, index },
      record,
      add: (list) => list.forEach(add),
      changes,
      confirm() {
        for (const key of touched.keys()) {
          const { kind, ids } = partsOf(key);
          if (kind === "attempt") pending.delete(ids);
        }
        for (const map of Object.values(maps)) map.keep();
        header = nextHeader;
        open = false;
      },
      abandon() {
        for (const [key, before] of touched) {
          const { kind, ids } = partsOf(key);
          const waiting = kind === "attempt" ? pending.get(ids) : undefined;
          const undone: RecordChange =
            before === undefined ? { kind: "delete", key } : { kind: "put", key, entry: before };
          // An attempt that only this save held is pending again, and stays known.
          if (waiting === undefined) index.apply(undone, maps[mapOfKind[kind]].now.get(ids));
          else index.addAttempt(ids, waiting);
        }
        for (const map of Object.values(maps)) map.undo();
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
