import { checkRunId } from "../run-id.ts";
import { catalogPageDefault } from "../store.ts";
import type { Catalog, CatalogQuery } from "../store.ts";
import type { CatalogAdapter, StoreAdapter } from "./adapter.ts";
import { countOptions, listOptions } from "./catalog-options.ts";
import type { CountQuery } from "./catalog-options.ts";
import { checkedContent, refuseOtherDigest } from "./content-check.ts";
import { explained } from "./explain.ts";
import { doingWith, notFound } from "./store-errors.ts";
import type { Doing } from "./store-errors.ts";
import { checkOptions } from "./store-options.ts";

/** Lists, reads, counts and deletes runs without owning them (STORE-7). */
export function defineCatalog(adapter: StoreAdapter, catalog: CatalogAdapter): Catalog {
  const { medium } = adapter;
  const listing: Doing = { what: "listing runs", runId: "", medium };
  const { content } = catalog;
  return {
    async list(query = {}) {
      checkOptions<CatalogQuery>("listing runs", query, listOptions);
      const limit = query.limit ?? catalogPageDefault;
      // One more than fits tells that there is a next page.
      const found = await explained(adapter, listing, async () => await catalog.list({ ...query, limit: limit + 1 }));
      const runs = found.slice(0, limit);
      const last = runs.at(-1);
      return found.length > limit && last !== undefined ? { runs, next: last.runId } : { runs };
    },
    async read(runId) {
      checkRunId(runId);
      const doing = doingWith("reading", runId, medium);
      const record = await explained(adapter, doing, async () => await catalog.read(runId));
      if (record === undefined) throw notFound(runId);
      return record;
    },
    ...(content === undefined
      ? {}
      : {
          content: async (runId: string, digest: string) => {
            checkRunId(runId);
            refuseOtherDigest(runId, digest);
            const doing = doingWith("reading a content of", runId, medium);
            const bytes = await explained(adapter, doing, async () => await content.call(catalog, runId, digest));
            return checkedContent(runId, medium, digest, bytes);
          },
        }),
    async delete(runId) {
      checkRunId(runId);
      await explained(adapter, doingWith("deleting", runId, medium), async () => await catalog.delete(runId));
    },
    async count(query = {}) {
      checkOptions<CountQuery>("counting runs", query, countOptions);
      return await explained(adapter, { ...listing, what: "counting runs" }, async () => await catalog.count(query));
    },
  };
}
