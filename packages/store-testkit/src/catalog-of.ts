import type { Catalog, CatalogQuery, CatalogRun, Store } from "@pulse-ts/durable";
import { unmet } from "./expectation.ts";

/** The store's catalogue. @throws an Error for a store that has none and does not say so in `without` */
export function catalogOf(store: Store): Catalog {
  const { catalog } = store;
  if (catalog !== undefined) return catalog;
  throw unmet("a store without `catalog`", "one, or STORE-7 in the subject's `without` with the reason");
}

/** All pages of a list, as one. @throws an Error when they do not come to an end */
export async function allPages(catalog: Catalog, query: CatalogQuery = {}): Promise<readonly CatalogRun[]> {
  const found: CatalogRun[] = [];
  let { after } = query;
  for (let page = 0; page < pagesMax; page += 1) {
    const { runs, next } = await catalog.list(after === undefined ? query : { ...query, after });
    found.push(...runs);
    if (next === undefined) return found;
    after = next;
  }
  throw unmet(`${pagesMax} pages of a list and still a next one`, "a last page");
}

const pagesMax = 10_000;
