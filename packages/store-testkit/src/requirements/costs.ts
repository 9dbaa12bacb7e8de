import type { RecordChanges, RecordEntry, RunRecord } from "@pulse-ts/durable";
import { unmet } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { sampleRun } from "../sample-run.ts";

/** What a save may cost (REC-24). */
export const costs: readonly Requirement[] = [
  {
    id: "REC-24.changes-alone",
    rule: "REC-24",
    title: "a save looks at what it changes, not at the whole record; only folding looks at the rest, and seldom",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      let changed = 0;
      let others = 0;
      for (let revision = 1; revision <= saves; revision += 1) {
        const changes = run.changesTo(revision);
        changed += changes.length;
        const next = watched(run.at(revision), changes, () => (others += 1));
        await session.save(next, revision - 1, changes);
      }
      await bench.loads(session, run.at(saves));
      if (others <= changed * timesMax) return;
      throw unmet(
        `${saves} saves that changed ${changed} entries read ${others} others of the next records`,
        `at most ${changed * timesMax}; a store that writes whole records declares REC-24 in its subject's \`without\``,
      );
    },
  },
];

const saves = 100;
/** Folding at most doubles what is written; another doubling is left for what a store looks at twice. */
const timesMax = 4;

/** The record, in which the first look at each entry that the save does not change is told. */
function watched(record: RunRecord, changes: RecordChanges, onRead: () => void): RunRecord {
  const changed = new Set(changes.map(({ key }) => key.slice(key.indexOf("/") + 1)));
  const { header, ...maps } = record;
  const copies = Object.entries(maps).map(([name, map]) => {
    const entries = [...(map as ReadonlyMap<string, RecordEntry>)].map(([ids, entry]) => [
      ids,
      changed.has(ids) ? entry : telling(entry, onRead),
    ]);
    return [name, new Map(entries as [string, RecordEntry][])];
  });
  return { header, ...Object.fromEntries(copies) } as RunRecord;
}

/** A copy of an entry that tells once when a field of it is read. Any way of copying it reads one. */
function telling(entry: RecordEntry, onRead: () => void): RecordEntry {
  let isTold = false;
  const copy = {};
  for (const [field, value] of Object.entries(entry)) {
    const get = (): unknown => {
      if (!isTold) onRead();
      isTold = true;
      return value;
    };
    Object.defineProperty(copy, field, { get, enumerable: true, configurable: true });
  }
  return copy;
}
