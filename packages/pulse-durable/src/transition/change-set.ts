import { messageIds, messageKey, streamKey } from "../record/entry-key.ts";
import type { RecordChange, RecordChanges, RecordEntry, StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";

/**
 * The changes of one decision while it is being made: a later one of a key takes the place of the earlier, so each key is
 * there once (REC-31), and what was decided before is seen by what comes after.
 */
export class ChangeSet {
  readonly view: RunView;
  readonly #changes = new Map<string, RecordChange>();

  constructor(view: RunView) {
    this.view = view;
  }

  put(key: string, entry: RecordEntry): void {
    this.#changes.set(key, { kind: "put", key, entry });
  }

  delete(key: string): void {
    this.#changes.set(key, { kind: "delete", key });
  }

  add(changes: RecordChanges): void {
    for (const change of changes) this.#changes.set(change.key, change);
  }

  /** All groups of a source as they are now; none of a source that the record does not know. */
  groupsOf(sourceId: string): readonly StreamEntry[] {
    const found: StreamEntry[] = [];
    for (const ids of this.view.index.groupsOf(sourceId)) {
      const put = this.#changes.get(`stream/${ids}`);
      // The key tells the kind of the entry.
      const entry = put?.kind === "put" ? (put.entry as StreamEntry) : this.view.record.streams.get(ids);
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  putGroup(entry: StreamEntry): void {
    this.put(streamKey(entry.sourceId, entry.group), entry);
  }

  /** A message that this decision itself has put may leave again. */
  deleteMessage(sourceId: string, sequence: number): void {
    const key = messageKey(sourceId, sequence);
    if (this.view.record.messages.has(messageIds(sourceId, sequence))) this.delete(key);
    else this.#changes.delete(key);
  }

  changes(): RecordChanges {
    return [...this.#changes.values()];
  }
}
