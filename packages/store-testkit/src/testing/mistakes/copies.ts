import type { RecordChanges, RunRecord } from "@pulse-ts/durable";
import { acquiring, mistake, owning } from "./mistake.ts";
import { readRun } from "./shelf.ts";

/** Wrong about what is whose: something is shared that must be a copy (STORE-3). */
export const copyMistakes = [
  mistake("gives the same record to all who load it", ["STORE-3.isolated-out"], {
    adapter: (right) =>
      owning(right, (owned) => {
        let loaded: RunRecord | undefined;
        return {
          load: async (call) => (loaded ??= await owned.load(call)),
          async save(save, call) {
            loaded = undefined;
            return await owned.save(save, call);
          },
        };
      }),
  }),
  mistake("keeps the very record that it was given to save", ["STORE-3.isolated-in"], {
    adapter: (right) =>
      owning(right, (owned) => {
        let kept: RunRecord | undefined;
        return {
          load: async (call) => kept ?? (await owned.load(call)),
          async save(save, call) {
            const result = await owned.save(save, call);
            if (result === "saved") kept = save.next;
            return result;
          },
        };
      }),
  }),
  mistake("gives what sessions load to those who read without owning", ["STORE-3.isolated-read"], {
    adapter(right, shelf) {
      const shared = new Map<string, RunRecord | undefined>();
      const sharedRun = (runId: string): RunRecord | undefined => {
        const key = `${runId} ${shelf.runs.get(runId)?.revision}`;
        if (!shared.has(key)) shared.set(key, readRun(shelf, runId));
        return shared.get(key);
      };
      return {
        ...owning(right, (_owned, runId) => ({ load: async () => sharedRun(runId) })),
        catalog: { ...right.catalog, read: async (runId) => sharedRun(runId) },
      };
    },
  }),
  mistake("sorts the changes that it was given in their place", ["STORE-3.unchanged-input"], {
    store: (right) =>
      acquiring(right, (session) => ({
        async save(next, expected, changes, options) {
          // The type says that they cannot be changed.
          (
            changes as unknown as {
              sort(compare: (a: RecordChanges[number], b: RecordChanges[number]) => number): void;
            }
          ).sort((a, b) => (a.key < b.key ? -1 : 1));
          await session.save(next, expected, changes, options);
        },
      })),
  }),
];
