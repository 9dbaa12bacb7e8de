import { defineStore } from "./define-store/define-store.ts";
import { busy } from "./define-store/store-errors.ts";
import { headerKey } from "./record/entry-key.ts";
import { recordBuilder } from "./record/fold.ts";
import type { Header, RecordEntry, RunRecord } from "./record/format.ts";
import { packEntry, unpackEntry } from "./record/packed-entry.ts";
import type { PackedEntry } from "./record/packed-entry.ts";
import type { Catalog, CatalogQuery, CatalogRun, Store } from "./store.ts";

/** A run as it is kept: entries as text and bytes of their own, so that nothing is shared with anybody (STORE-3). */
interface KeptRun {
  revision: number;
  readonly entries: Map<string, PackedEntry>;
}

/**
 * A store in this process's memory: no persistence, zero configuration. It is the reference for what a store does, in the
 * shortest code that keeps the contract; a save costs what it changes (REC-24).
 */
export function memoryStore(): Store & { readonly catalog: Catalog } {
  const runs = new Map<string, KeptRun>();
  const owned = new Set<string>();
  const matching = ({ status, prefix = "", after }: CatalogQuery): readonly CatalogRun[] =>
    [...runs.keys()]
      .filter((runId) => runId.startsWith(prefix) && (after === undefined || runId > after))
      .toSorted()
      .map((runId) => summary(runId, runs.get(runId) as KeptRun))
      .filter((run) => status === undefined || run.status === status);
  return defineStore({
    medium: "memory",
    async own(runId) {
      if (owned.has(runId)) throw busy("acquiring", runId, holder);
      owned.add(runId);
      return {
        load: async () => read(runs, runId),
        async save({ expectedRevision, revision, changes }) {
          const kept = runs.get(runId) ?? { revision: 0, entries: new Map<string, PackedEntry>() };
          if (kept.revision !== expectedRevision) return { conflict: kept.revision };
          // Every entry is written before the first is kept: a save is whole or not at all.
          const written = changes.map(
            (change) => [change.key, change.kind === "put" ? ownCopy(change.key, change.entry) : undefined] as const,
          );
          for (const [key, packed] of written) {
            if (packed === undefined) kept.entries.delete(key);
            else kept.entries.set(key, packed);
          }
          kept.revision = revision;
          runs.set(runId, kept);
          return "saved";
        },
        async release() {
          owned.delete(runId);
        },
      };
    },
    catalog: {
      list: async (query) => matching(query).slice(0, query.limit),
      read: async (runId) => read(runs, runId),
      async delete(runId) {
        if (owned.has(runId)) throw busy("deleting", runId, holder);
        runs.delete(runId);
      },
      count: async (query) => matching(query).length,
    },
    // Nothing can fail here but what is given: that error is its own.
    explain: () => undefined,
  });
}

const holder = "another session of this process";

function read(runs: ReadonlyMap<string, KeptRun>, runId: string): RunRecord | undefined {
  const kept = runs.get(runId);
  if (kept === undefined) return undefined;
  const builder = recordBuilder(runId);
  for (const [key, packed] of kept.entries) {
    builder.apply({ kind: "put", key, entry: unpackEntry(key, copyOf(packed), { runId, where: "memory" }) });
  }
  return builder.view(kept.revision);
}

/** What is kept is never handed out, so small pieces may share memory: one of its own for each costs more than its bytes. */
function ownCopy(key: string, entry: RecordEntry): PackedEntry {
  const { text, bytes } = packEntry(key, entry);
  return { text, bytes: bytes.map((each) => Buffer.from(each)) };
}

function copyOf({ text, bytes }: PackedEntry): PackedEntry {
  return { text, bytes: bytes.map((each) => new Uint8Array(each)) };
}

function summary(runId: string, { revision, entries }: KeptRun): CatalogRun {
  const { status, version, resumes } = JSON.parse(entries.get(headerKey)?.text ?? "{}") as Header;
  return { runId, status, revision, version, resumes };
}
