import type { RunView } from "../record/live-record.ts";
import { ChangeSet } from "./change-set.ts";
import type { Decision } from "./decision.ts";
import { isVoid } from "./stream-ref.ts";

/**
 * Begins a new generation of every open source whose writing attempt and all around it are valid, in all its groups: part
 * of the first save of a resume (STR-21). What has ended or is void keeps its own. Linear in the streams of the record.
 */
export function raiseGenerations(view: RunView): Decision<{ readonly raised: number }> {
  const changes = new ChangeSet(view);
  const raised = new Set<string>();
  for (const entry of view.record.streams.values()) {
    if (entry.end !== "open" || isVoid(view, entry)) continue;
    raised.add(entry.sourceId);
    changes.putGroup({ ...entry, generation: entry.generation + 1 });
  }
  return { changes: changes.changes(), result: { raised: raised.size } };
}
