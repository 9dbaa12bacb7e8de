import { headerKey, mapOfKind } from "@pulse-ts/durable";
import type { Header, RecordChanges, RecordEntry, RunRecord } from "@pulse-ts/durable";

/** What every store must be equal to: runs as the changes of their saves make them (KIT-4). In memory, and never wrong. */
export interface Model {
  /** The ids of the runs that were saved, in the order in which a catalogue lists them. */
  runIds(): readonly string[];
  /** 0 for a run that is not there. */
  revision(runId: string): number;
  /** The record of a run that is there. */
  record(runId: string): RunRecord;
  /** What a save of these changes would make of the run. */
  next(runId: string, changes: RecordChanges): RunRecord;
  /** The run is as `next` says from now on. */
  save(runId: string, changes: RecordChanges): void;
  delete(runId: string): void;
}

interface ModelRun {
  readonly revision: number;
  /** By entry key. */
  readonly entries: ReadonlyMap<string, RecordEntry>;
}

/** A model without runs. */
export function emptyModel(): Model {
  const runs = new Map<string, ModelRun>();
  const after = (runId: string, changes: RecordChanges): ModelRun => {
    const { revision, entries } = runs.get(runId) ?? { revision: 0, entries: new Map<string, RecordEntry>() };
    const next = new Map(entries);
    for (const change of changes) {
      if (change.kind === "put") next.set(change.key, change.entry);
      else next.delete(change.key);
    }
    return { revision: revision + 1, entries: next };
  };
  return {
    runIds: () => [...runs.keys()].sort(),
    revision: (runId) => runs.get(runId)?.revision ?? 0,
    record(runId) {
      const run = runs.get(runId);
      if (run === undefined) throw new Error(`the model has no run ${JSON.stringify(runId)}`);
      return recordOf(run);
    },
    next: (runId, changes) => recordOf(after(runId, changes)),
    save: (runId, changes) => void runs.set(runId, after(runId, changes)),
    delete: (runId) => void runs.delete(runId),
  };
}

/** Not by the code that stores use: two folds that agree are more than one that agrees with itself. */
function recordOf({ revision, entries }: ModelRun): RunRecord {
  const maps: Record<string, Map<string, RecordEntry>> = {};
  for (const name of Object.values(mapOfKind)) maps[name] = new Map();
  for (const [key, entry] of entries) {
    if (key === headerKey) continue;
    const cut = key.indexOf("/");
    const kind = key.slice(0, cut) as keyof typeof mapOfKind;
    maps[mapOfKind[kind]]?.set(key.slice(cut + 1), entry);
  }
  // Each first save puts a header, and none is ever deleted.
  const header: Header = { ...(entries.get(headerKey) as Header), revision };
  return { header, ...maps } as unknown as RunRecord;
}
