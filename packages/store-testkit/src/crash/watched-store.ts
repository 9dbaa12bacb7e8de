import { canonicalJson } from "@pulse-ts/codec";
import { isPulseError } from "@pulse-ts/core";
import { entriesOf, headerKey } from "@pulse-ts/durable";
import type { RecordEntry, Session, Store } from "@pulse-ts/durable";
import type { ToldEntry } from "./child-event.ts";
import type { ChildVoice } from "./child-voice.ts";

/** A store that tells what it is asked to keep and what it confirmed, before its caller learns of it. */
export interface WatchedStore {
  readonly store: Store;
  /** Calls of the store that have not settled yet. */
  readonly busy: () => number;
}

/** Watches a store. `tell` hears each call before it goes on, `saved` of each confirmed save, both in the same step. */
export function watchedStore(inner: Store, tell: ChildVoice, saved: () => void): WatchedStore {
  let busy = 0;
  const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
    }
  };
  const watch = (session: Session): Session => {
    const { content } = session;
    return {
      load: (options) =>
        counted(async () => {
          try {
            const record = await session.load(options);
            tell({ kind: "loaded", revision: record.header.revision, entries: toldRecord(record) });
            return record;
          } catch (error) {
            if (isPulseError(error, "PULSE_NOT_FOUND")) tell({ kind: "absent" });
            throw error;
          }
        }),
      save: (next, expectedRevision, changes, options) =>
        counted(async () => {
          const { revision } = next.header;
          tell({
            kind: "saving",
            revision,
            changes: changes.map((change) => [
              change.key,
              change.kind === "put" ? toldContent(change.key, change.entry) : null,
            ]),
          });
          await session.save(next, expectedRevision, changes, options);
          tell({ kind: "saved", revision });
          saved();
        }),
      ...(content === undefined
        ? {}
        : { content: (digest, options) => counted(() => content.call(session, digest, options)) }),
      close: () => counted(() => session.close()),
    };
  };
  const store: Store = {
    acquire: (runId, options) => counted(async () => watch(await inner.acquire(runId, options))),
    ...(inner.catalog === undefined ? {} : { catalog: inner.catalog }),
    close: async () => await inner.close?.(),
  };
  return { store, busy: () => busy };
}

function toldRecord(record: Parameters<typeof entriesOf>[0]): readonly ToldEntry[] {
  return entriesOf(record).flatMap((change): ToldEntry[] =>
    change.kind === "put" ? [[change.key, toldContent(change.key, change.entry)]] : [],
  );
}

/** A store may keep big values elsewhere, and the revision where it likes: neither makes two entries differ. */
function toldContent(key: string, entry: RecordEntry): string {
  return canonicalJson(key === headerKey ? { ...entry, revision: 0 } : told(entry));
}

/** The same with each value that is there by its digest and size, wherever in an entry it stands. */
function told(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(told);
  if (typeof part !== "object" || part === null) return part;
  const { bytes, content, ...rest } = part as Readonly<Record<string, unknown>>;
  const fields = Object.entries(rest).map(([name, value]) => [name, told(value)] as const);
  const size = bytes instanceof Uint8Array ? bytes.length : (content as { readonly size?: unknown } | undefined)?.size;
  return Object.fromEntries(size === undefined ? fields : [...fields, ["size", size]]);
}
