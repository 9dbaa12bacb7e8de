import { PulseError } from "@pulse-ts/core";
import { shownRunId } from "../run-id.ts";
import { headerKey, mapOfKind, parseEntryKey } from "./entry-key.ts";
import type { EntryKind } from "./entry-key.ts";
import type { Header, RecordChange, RecordChanges, RecordEntry, RunRecord } from "./format.ts";

type EntryMaps = { [Name in (typeof mapOfKind)[EntryKind]]: Map<string, RecordEntry> };

/** A record under construction. One owner; handed out as a {@link RunRecord} when it is whole. */
export interface RecordBuilder {
  /** Applies one change in place. @throws PULSE_CORRUPT for a key that no entry can have */
  apply(change: RecordChange): void;
  /**
   * The record, sharing the builder's maps. `revision`: the one that the store saved last. A save that changes nothing
   * else of the header does not put it, so the store's own number is the true one.
   * @throws PULSE_CORRUPT when no header was put
   */
  view(revision?: number): RunRecord;
}

/** Folds changes into a record, at a cost that depends on the changes alone (REC-24, REC-25). */
export function recordBuilder(runId: string, from?: RunRecord): RecordBuilder {
  const maps: EntryMaps = {
    scopes: new Map(from?.scopes),
    nodes: new Map(from?.nodes),
    attempts: new Map(from?.attempts),
    streams: new Map(from?.streams),
    messages: new Map(from?.messages),
    tries: new Map(from?.tries),
    managed: new Map(from?.managed),
  };
  let header: Header | undefined = from?.header;
  const corrupt = (where: string): PulseError =>
    new PulseError("PULSE_CORRUPT", `reading run "${shownRunId(runId)}": ${where}; restore the run from a backup`, {
      details: { runId, next: "restore-backup", where },
    });
  return {
    apply(change) {
      if (change.key === headerKey) {
        if (change.kind === "delete") throw corrupt("the entry header cannot be deleted");
        header = change.entry as Header;
        return;
      }
      const parsed = parseEntryKey(change.key);
      if (parsed === undefined) throw corrupt(`no entry can have the key ${JSON.stringify(change.key)}`);
      const map = maps[mapOfKind[parsed.kind]];
      if (change.kind === "put") map.set(parsed.ids, change.entry);
      else map.delete(parsed.ids);
    },
    view(revision) {
      if (header === undefined) throw corrupt("the entry header is missing");
      const numbered = revision === undefined || revision === header.revision ? header : { ...header, revision };
      // Each map holds the entries of its own kind alone: `apply` sorts them by key.
      return { header: numbered, ...maps } as unknown as RunRecord;
    },
  };
}

/** All entries of a record as puts, the header first. */
export function entriesOf(record: RunRecord): RecordChanges {
  const changes: RecordChange[] = [{ kind: "put", key: headerKey, entry: record.header }];
  for (const kind of Object.keys(mapOfKind) as EntryKind[]) {
    const map: ReadonlyMap<string, RecordEntry> = record[mapOfKind[kind]];
    for (const [ids, entry] of map) changes.push({ kind: "put", key: `${kind}/${ids}`, entry });
  }
  return changes;
}
