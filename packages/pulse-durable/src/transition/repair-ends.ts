import { attemptKey, headerKey } from "../record/entry-key.ts";
import type { RecordChange } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import type { Decision } from "./decision.ts";

export interface RepairedEnds {
  /** The root attempts that failed with their streams, in the order of the record. */
  readonly roots: readonly string[];
  /** One of them decided the run (CKPT-21). */
  readonly runFailed: boolean;
}

/**
 * Brings a failure to its end that an older record holds in part: some streams of a root attempt have failed, the others and
 * the root itself have not. All of them fail in one save (STR-26). Nothing changes under an ancestor that has failed or is
 * confirmed, and nothing but states is touched: no budget, no generation (STR-50). No changes when there is nothing to
 * repair. Of a record that was checked; before the execution starts. Linear in the record's streams.
 */
export function repairEnds(view: Pick<RunView, "record">): Decision<RepairedEnds> {
  const { header, attempts, streams } = view.record;
  const broken = new Map<string, RecordChange[]>();
  for (const { end, attempt } of streams.values()) if (end === "failed") broken.set(attempt, []);
  for (const [ids, entry] of streams) {
    if (entry.end !== "open") continue;
    broken.get(entry.attempt)?.push({ kind: "put", key: `stream/${ids}`, entry: { ...entry, end: "failed" } });
  }
  const changes: RecordChange[] = [];
  const roots: string[] = [];
  let runFailed = false;
  for (const [id, open] of broken) {
    const root = attempts.get(id);
    if (root?.state !== "active" || !isOpenAround(view, root.parent)) continue;
    for (const change of open) changes.push(change);
    changes.push({ kind: "put", key: attemptKey(id), entry: { ...root, state: "failed" } });
    roots.push(id);
    runFailed ||= root.parent === header.rootScope && header.status === "running";
  }
  if (runFailed) changes.push({ kind: "put", key: headerKey, entry: { ...header, status: "failed" } });
  return { changes, result: { roots, runFailed } };
}

/** Every attempt around a scope is active. The scope of a child graph has the id of the attempt that it runs in (REC-2). */
function isOpenAround({ record: { attempts, header } }: Pick<RunView, "record">, scope: string): boolean {
  for (let at = scope; at !== header.rootScope;) {
    const around = attempts.get(at);
    if (around?.state !== "active") return false;
    at = around.parent;
  }
  return true;
}
