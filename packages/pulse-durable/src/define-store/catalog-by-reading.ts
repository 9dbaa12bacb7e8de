import { isPulseError } from "@pulse-ts/core";
import type { RunRecord } from "../record/format.ts";
import type { CatalogQuery, CatalogRun } from "../store.ts";
import type { CatalogAdapter } from "./adapter.ts";
import { catalogRunOf } from "./record-text.ts";

/** What a medium that has no index can do for a catalogue (STORE-7). */
export interface RunReader {
  /** At most `limit` ids of those that begin with `prefix` and come after `after`, ascending by UTF-16 units as `<` compares. */
  runIds(page: { readonly prefix: string; readonly after: string; readonly limit: number }): Promise<readonly string[]>;
  /** `undefined` when nothing was ever saved under this run id. */
  read(runId: string): Promise<RunRecord | undefined>;
  /** Deletes it unless somebody owns it. @throws `busy(…)` */
  delete(runId: string): Promise<void>;
}

/**
 * A catalogue that lists and counts by reading each run: for a store whose medium knows keys and no status. What a page
 * costs grows with the records on it, and with those that do not have the status asked for. A record that cannot be read
 * is listed with its problem, and as running.
 */
export function catalogByReading(reader: RunReader): CatalogAdapter {
  async function* runs({ prefix = "", after = "", status }: CatalogQuery): AsyncGenerator<CatalogRun> {
    let last = after;
    for (;;) {
      const page = await reader.runIds({ prefix, after: last, limit: idsMax });
      for (const runId of page) {
        const run = await described(reader, runId);
        if (run !== undefined && (status === undefined || run.status === status)) yield run;
      }
      last = page.at(-1) ?? last;
      if (page.length < idsMax) return;
    }
  }
  return {
    async list(query) {
      const found: CatalogRun[] = [];
      for await (const run of runs(query)) {
        if (found.push(run) === query.limit) break;
      }
      return found;
    },
    async count(query) {
      let count = 0;
      for await (const _ of runs(query)) count += 1;
      return count;
    },
    read: async (runId) => await reader.read(runId),
    delete: async (runId) => await reader.delete(runId),
  };
}

/** Run ids that are asked for at a time. */
const idsMax = 100;

async function described(reader: RunReader, runId: string): Promise<CatalogRun | undefined> {
  try {
    const record = await reader.read(runId);
    return record === undefined ? undefined : catalogRunOf(record.header);
  } catch (error) {
    // One damaged run does not hide the others. What the medium throws ends the listing.
    if (!isPulseError(error)) throw error;
    return { runId, status: "running", revision: 0, version: "", resumes: 0, problem: error.message };
  }
}
