import { decodeEntry, encodeEntry, headerKey, recordBuilder } from "@pulse-ts/durable";
import type { CatalogRun, Header, RunRecord } from "@pulse-ts/durable";
import { busy, corrupt } from "@pulse-ts/durable/define-store";
import type { CatalogAdapter, OwnedRun, Save, StoreAdapter } from "@pulse-ts/durable/define-store";

/** A run on a shelf. Never changed: a save puts another in its place. */
export interface ShelfRun {
  readonly revision: number;
  /** Entry key -> the entry as JSON text. */
  readonly entries: ReadonlyMap<string, string>;
}

/** The medium of a store in memory whose every part can be replaced by a wrong one. */
export interface Shelf {
  readonly runs: Map<string, ShelfRun>;
  readonly owned: Set<string>;
  /** Digest -> bytes. */
  readonly contents: Map<string, Uint8Array>;
}

export const emptyShelf = (): Shelf => ({ runs: new Map(), owned: new Set(), contents: new Map() });

export type At = (point: string) => void | Promise<void>;

export const shelfPoints = ["own", "save before", "save after", "release", "delete before", "delete after"] as const;

/** What `defineStore` takes, nothing of it optional. */
export interface ShelfAdapter extends StoreAdapter {
  readonly catalog: ShelfCatalog;
  own(runId: string): Promise<ShelfOwned>;
}
export interface ShelfOwned extends OwnedRun {
  content(digest: string): Promise<Uint8Array | undefined>;
}
type ShelfCatalog = CatalogAdapter & Required<Pick<CatalogAdapter, "content">>;

/** The right adapter. */
export function shelfAdapter(shelf: Shelf, at: At): ShelfAdapter {
  const { runs, owned, contents } = shelf;
  return {
    medium: "a shelf",
    contentBytesMin: 16_384,
    async own(runId) {
      if (owned.has(runId)) throw busy("acquiring", runId, holder);
      owned.add(runId);
      try {
        await at("own");
      } catch (error) {
        owned.delete(runId);
        throw error;
      }
      return {
        load: async () => readRun(shelf, runId),
        content: async (digest) => copyOf(contents.get(digest)),
        save: async (save) => await saveRun(shelf, save, at),
        async release() {
          try {
            await at("release");
          } finally {
            owned.delete(runId);
          }
        },
      };
    },
    catalog: {
      list: async (query) => listRuns(shelf, query).slice(0, query.limit),
      read: async (runId) => readRun(shelf, runId),
      content: async (_runId, digest) => copyOf(contents.get(digest)),
      count: async (query) => listRuns(shelf, query).length,
      async delete(runId) {
        if (owned.has(runId)) throw busy("deleting", runId, holder);
        await at("delete before");
        runs.delete(runId);
        await at("delete after");
      },
    },
    explain: (error) =>
      error instanceof Error && "code" in error && error.code === "EIO" ? { found: "it failed" } : undefined,
  };
}

const holder = "another session";

export async function saveRun(shelf: Shelf, save: Save, at: At): Promise<"saved" | { readonly conflict: number }> {
  const { runs, contents } = shelf;
  const { runId, expectedRevision, revision } = save;
  const current = runs.get(runId)?.revision ?? 0;
  if (current !== expectedRevision) return { conflict: current };
  await at("save before");
  for (const { digest, bytes } of save.contents) {
    if (bytes !== undefined) contents.set(digest, Uint8Array.from(bytes));
    else if (!contents.has(digest)) throw corrupt(runId, `the content ${digest}`, "it is missing");
  }
  runs.set(runId, { revision, entries: withChanges(runs.get(runId), save) });
  await at("save after");
  return "saved";
}

/** The entries of a run after a save. */
export function withChanges(
  run: ShelfRun | undefined,
  { changes }: Pick<Save, "changes">,
): ReadonlyMap<string, string> {
  const entries = new Map(run?.entries);
  for (const change of changes) {
    if (change.kind === "put") entries.set(change.key, encodeEntry(change.entry));
    else entries.delete(change.key);
  }
  return entries;
}

export function readRun({ runs }: Shelf, runId: string): RunRecord | undefined {
  const run = runs.get(runId);
  return run && recordOf(runId, run);
}

export function recordOf(runId: string, { revision, entries }: ShelfRun): RunRecord {
  const builder = recordBuilder(runId);
  for (const [key, text] of entries) {
    builder.apply({ kind: "put", key, entry: decodeEntry(key, JSON.parse(text), { runId, where: "a shelf" }) });
  }
  return builder.view(revision);
}

export function listRuns(
  { runs }: Shelf,
  { status, prefix = "", after }: { readonly status?: string; readonly prefix?: string; readonly after?: string },
): readonly CatalogRun[] {
  return [...runs.keys()]
    .filter((runId) => runId.startsWith(prefix) && (after === undefined || runId > after))
    .toSorted()
    .map((runId) => summaryOf(runId, runs.get(runId)))
    .filter((run) => status === undefined || run.status === status);
}

export function summaryOf(runId: string, run: ShelfRun | undefined): CatalogRun {
  const { status, version, resumes } = JSON.parse(run?.entries.get(headerKey) ?? "{}") as Header;
  return { runId, status, revision: run?.revision ?? 0, version, resumes };
}

const copyOf = (bytes: Uint8Array | undefined): Uint8Array | undefined => bytes && Uint8Array.from(bytes);
