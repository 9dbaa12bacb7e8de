import type { Store } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import { pgStore } from "@pulse-ts/pgstore";
import { sqliteStore } from "@pulse-ts/sqlite-store";

/** The store of a place as `--store` takes it. @throws RangeError for a place that no store has */
export async function storeAt(place: string): Promise<Store> {
  const cut = place.indexOf(":");
  const [kind, rest] = [place.slice(0, cut), place.slice(cut + 1)];
  if (kind === "file") return fileStore({ folder: rest });
  if (kind === "sqlite") return sqliteStore({ file: rest });
  if (/^postgres(?:ql)?$/u.test(kind)) {
    const store = pgStore({ connectionString: place });
    await store.migrate();
    return store;
  }
  throw new RangeError(`--store ${place}: begin with file:, sqlite: or postgres:`);
}
