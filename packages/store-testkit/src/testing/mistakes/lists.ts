import type { Catalog, CatalogRun, Store } from "@pulse-ts/durable";
import { busy, notFound } from "@pulse-ts/durable/define-store";
import { mistake, owning } from "./mistake.ts";
import type { Wrong } from "./mistake.ts";
import { listRuns, readRun, saveRun, summaryOf, withChanges } from "./shelf.ts";
import type { Shelf, ShelfAdapter } from "./shelf.ts";

type ShelfCatalog = ShelfAdapter["catalog"];

/** Wrong about what is listed, read, counted and deleted (STORE-7). */
export const listMistakes = [
  mistake(
    "has nothing to list when there is nothing",
    ["STORE-7.empty"],
    catalog(({ list }, { runs }) => ({
      async list(query) {
        if (runs.size === 0) throw new Error("no such table");
        return await list(query);
      },
    })),
  ),
  mistake(
    "deletes only what is there",
    ["STORE-7.empty", "STORE-7.delete"],
    catalog((right, { runs }) => ({
      async delete(runId) {
        if (!runs.has(runId)) throw notFound(runId);
        await right.delete(runId);
      },
    })),
  ),
  mistake(
    "lists runs in the order in which they were made",
    ["STORE-7.order"],
    catalog((_right, shelf) => ({
      list: async (query) => {
        const fits = new Map(listRuns(shelf, query).map((run) => [run.runId, run]));
        const made = [...shelf.runs.keys()].flatMap((runId) => fits.get(runId) ?? []);
        return made.slice(0, query.limit);
      },
    })),
  ),
  mistake(
    "lists runs as a dictionary does",
    ["STORE-7.order"],
    catalog((_right, shelf) => ({
      list: async (query) =>
        [...listRuns(shelf, query)].sort((a, b) => a.runId.localeCompare(b.runId)).slice(0, query.limit),
    })),
  ),
  mistake(
    "begins a page with the last run of the page before",
    ["STORE-7.pages"],
    catalog((_right, shelf) => ({
      list: async ({ after, ...query }) =>
        listRuns(shelf, query)
          .filter(({ runId }) => after === undefined || runId >= after)
          .slice(0, query.limit),
    })),
  ),
  mistake("has a next page after the last", ["STORE-7.pages"], {
    store: (right) =>
      withCatalog(right, ({ list }) => ({
        async list(query) {
          const page = await list(query);
          const last = page.runs.at(-1);
          return last === undefined ? page : { ...page, next: last.runId };
        },
      })),
  }),
  mistake("knows the first 100 runs alone", ["STORE-7.default-page"], {
    store: (right) =>
      withCatalog(right, ({ list }) => ({
        async list(query) {
          const { runs, next } = await list(query);
          return query?.limit === undefined || next === undefined ? { runs } : { runs, next };
        },
      })),
  }),
  mistake(
    "fills a page, then leaves out what has another status",
    ["STORE-7.filters"],
    catalog((_right, shelf) => ({
      list: async ({ status, ...query }) =>
        listRuns(shelf, query)
          .slice(0, query.limit)
          .filter((run) => status === undefined || run.status === status),
    })),
  ),
  mistake(
    "counts runs of each status",
    ["STORE-7.filters"],
    catalog((right) => ({ count: async ({ status: _status, ...query }) => await right.count(query) })),
  ),
  mistake(
    "takes a prefix for a pattern",
    ["STORE-7.odd-prefixes"],
    catalog((_right, shelf) => ({
      list: async ({ prefix = "", ...query }) => {
        const escaped = prefix.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        const like = new RegExp(`^${escaped.replaceAll("%", "[^]*").replaceAll("_", "[^]")}`, "u");
        return listRuns(shelf, query)
          .filter(({ runId }) => like.test(runId))
          .slice(0, query.limit);
      },
    })),
  ),
  mistake("lists the status of the first save", ["STORE-7.summary"], {
    adapter(right, shelf) {
      const first = firstOf(shelf);
      return {
        ...owning(right, (owned, runId) => ({
          async save(save, call) {
            if (save.expectedRevision === 0) first.set(runId, save.next.header.status);
            return await owned.save(save, call);
          },
        })),
        catalog: {
          ...right.catalog,
          list: async (query) =>
            (await right.catalog.list(query)).map((run) => ({ ...run, status: first.get(run.runId) ?? run.status })),
        },
      };
    },
  }),
  mistake(
    "lists runs that were never saved",
    ["STORE-7.unsaved"],
    catalog((right, { owned, runs }) => ({
      list: async (query) => [
        ...(await right.list(query)),
        ...[...owned].filter((runId) => !runs.has(runId)).map((runId) => summaryOf(runId, undefined)),
      ],
    })),
  ),
  mistake(
    "reads only runs that nobody owns",
    ["STORE-7.read"],
    catalog((right, { owned }) => ({
      async read(runId) {
        if (owned.has(runId)) throw busy("reading", runId, "somebody");
        return await right.read(runId);
      },
    })),
  ),
  mistake("reads an entry at a time, while another saves", ["STORE-7.read-while-saving"], {
    adapter: (right, shelf) =>
      owning(right, (owned, runId) => ({
        async save(save, call) {
          const run = shelf.runs.get(runId);
          if (run === undefined) return await owned.save(save, call);
          for (const change of save.changes) {
            const current = shelf.runs.get(runId);
            shelf.runs.set(runId, { ...run, entries: withChanges(current, { changes: [change] }) });
            await new Promise((resolve) => setImmediate(resolve));
          }
          return await saveRun(shelf, save, () => undefined);
        },
      })),
  }),
  mistake("keeps the revision of a run that was deleted", ["STORE-7.delete"], {
    adapter(right, shelf) {
      return {
        ...right,
        catalog: {
          ...right.catalog,
          async delete(runId) {
            const before = shelf.runs.get(runId);
            await right.catalog.delete(runId);
            if (before !== undefined) graves(shelf).set(runId, before.revision);
          },
        },
        own: async (runId) => {
          const owned = await right.own(runId);
          return {
            ...owned,
            async save(save, call) {
              const grave = graves(shelf).get(runId);
              if (grave === undefined || shelf.runs.has(runId)) return await owned.save(save, call);
              return save.expectedRevision === 0 ? { conflict: grave } : await owned.save(save, call);
            },
          };
        },
      };
    },
  }),
  mistake(
    "deletes runs that are owned",
    ["STORE-7.delete-owned"],
    catalog((_right, { runs }) => ({ delete: async (runId) => void runs.delete(runId) })),
  ),
  mistake(
    "deletes all runs whose ids begin so",
    ["STORE-7.delete-alone"],
    catalog((right, { runs }) => ({
      async delete(runId) {
        await right.delete(runId);
        for (const each of runs.keys()) if (each.startsWith(runId)) runs.delete(each);
      },
    })),
  ),
  mistake("counts to find the next page", ["STORE-7.changing"], {
    store: (right, shelf) =>
      withCatalog(right, () => ({
        async list({ after, limit = 100, ...query } = {}) {
          const from = after === undefined ? 0 : Number(after);
          const fits = listRuns(shelf, query);
          const runs: readonly CatalogRun[] = fits.slice(from, from + limit);
          return fits.length > from + limit ? { runs, next: String(from + limit) } : { runs };
        },
      })),
  }),
  mistake(
    "empties a run before it deletes it",
    ["STORE-7.failed-delete"],
    catalog((right, { runs }) => ({
      async delete(runId) {
        const run = runs.get(runId);
        if (run !== undefined) {
          runs.set(runId, { ...run, entries: new Map([...run.entries].filter(([key]) => !key.startsWith("node/"))) });
        }
        await right.delete(runId);
      },
    })),
  ),
  mistake("upgrades an old record when it reads it", ["STORE-9.older-record"], {
    adapter: (right, shelf) =>
      owning(right, (_owned, runId) => ({
        async load() {
          const record = readRun(shelf, runId);
          return record && { ...record, header: { ...record.header, format: 2 } };
        },
      })),
  }),
  mistake("writes its own format into each header", ["STORE-9.newer-record"], {
    adapter: (right) =>
      owning(right, (owned) => ({
        save: async (save, call) =>
          await owned.save(
            {
              ...save,
              changes: save.changes.map((change) =>
                change.kind === "put" && change.key === "header"
                  ? { ...change, entry: { ...change.entry, format: 2 } }
                  : change,
              ),
            },
            call,
          ),
      })),
  }),
];

const graveyards = new WeakMap<Shelf, Map<string, number>>();
const graves = (shelf: Shelf): Map<string, number> => placed(graveyards, shelf);
const firsts = new WeakMap<Shelf, Map<string, CatalogRun["status"]>>();
const firstOf = (shelf: Shelf): Map<string, CatalogRun["status"]> => placed(firsts, shelf);

function placed<Value>(all: WeakMap<Shelf, Map<string, Value>>, shelf: Shelf): Map<string, Value> {
  const found = all.get(shelf) ?? new Map<string, Value>();
  all.set(shelf, found);
  return found;
}

/** A store whose catalogue adapter differs in a part. */
function catalog(wrong: (right: ShelfCatalog, shelf: Shelf) => Partial<ShelfCatalog>): Wrong {
  return {
    adapter: (right, shelf) => ({ ...right, catalog: { ...right.catalog, ...wrong(right.catalog, shelf) } }),
  };
}

/** A store whose catalogue differs in a part. */
function withCatalog(right: Store, wrong: (right: Catalog) => Partial<Catalog>): Store {
  const { catalog: inner } = right;
  return inner === undefined ? right : { ...right, catalog: { ...inner, ...wrong(inner) } };
}
