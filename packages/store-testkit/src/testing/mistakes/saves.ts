import { headerKey, recordBuilder } from "@pulse-ts/durable";
import type { RecordChange } from "@pulse-ts/durable";
import { mistake, acquiring, owning } from "./mistake.ts";
import { readRun, recordOf, saveRun, withChanges } from "./shelf.ts";
import type { ShelfRun } from "./shelf.ts";

const nowhere = (): void => undefined;

/** Wrong about what a save compares, and what it writes. */
export const saveMistakes = [
  mistake("saves whatever revision it is given", ["STORE-3.conflict"], {
    adapter: (right, shelf) =>
      owning(right, () => ({
        async save(save) {
          const { runId, revision } = save;
          shelf.runs.set(runId, { revision, entries: withChanges(shelf.runs.get(runId), save) });
          return "saved";
        },
      })),
  }),
  mistake("counts past the whole numbers", ["STORE-3.overflow"], {
    store: (right, shelf) =>
      acquiring(right, (session, runId) => ({
        async save(next, expected, changes, options) {
          const { revision } = next.header;
          if (Number.isSafeInteger(revision)) return await session.save(next, expected, changes, options);
          shelf.runs.set(runId, { revision, entries: withChanges(shelf.runs.get(runId), { changes }) });
          return undefined;
        },
      })),
  }),
  mistake("takes a first save from any revision", ["STORE-3.first-save"], {
    adapter: (right, shelf) =>
      owning(right, (owned) => ({
        save: async (save, call) =>
          await owned.save(shelf.runs.has(save.runId) ? save : { ...save, expectedRevision: 0 }, call),
      })),
  }),
  mistake("gives a record without entries for a run that is not there", ["STORE-3.not-found"], {
    adapter: (right) =>
      owning(right, (owned, runId) => ({
        async load(call) {
          const builder = recordBuilder(runId);
          builder.apply({ kind: "put", key: headerKey, entry: { runId, revision: 0 } });
          return (await owned.load(call)) ?? builder.view();
        },
      })),
  }),
  mistake("saves nothing more after a conflict", ["STORE-3.conflict-goes-on"], {
    adapter: (right) =>
      owning(right, (owned) => {
        let failed = false;
        return {
          async save(save, call) {
            if (failed) throw new Error("it failed before");
            const result = await owned.save(save, call);
            failed = typeof result === "object";
            return result;
          },
        };
      }),
  }),
  mistake("does not look at the revision in the next record", ["STORE-3.misnumbered"], {
    store: (right) =>
      acquiring(right, (session) => ({
        save: async (next, expected, changes, options) =>
          await session.save(
            { ...next, header: { ...next.header, revision: expected + 1 } },
            expected,
            changes,
            options,
          ),
      })),
  }),
  mistake("does not look at the run id in the next record", ["STORE-3.run-id"], {
    store: (right) =>
      acquiring(right, (session, runId) => ({
        save: async (next, expected, changes, options) =>
          await session.save({ ...next, header: { ...next.header, runId } }, expected, changes, options),
      })),
  }),
  mistake("loads what it had when the run was acquired", ["REC-25.fold"], {
    adapter: (right) =>
      owning(right, (owned) => {
        let first: ReturnType<typeof owned.load> | undefined;
        return { load: async (call) => await (first ??= owned.load(call)) };
      }),
  }),
  mistake(
    "makes a run anew out of what it had when the run was acquired: an update is lost",
    ["REC-25.fold", "KIT-4.histories"],
    {
      adapter: (right, shelf, at) =>
        owning(right, (_owned, runId) => {
          const base = shelf.runs.get(runId);
          return {
            async save(save) {
              const result = await saveRun(shelf, save, at);
              const entries = withChanges(base, save);
              if (result === "saved" && entries.has(headerKey))
                shelf.runs.set(runId, { revision: save.revision, entries });
              return result;
            },
          };
        }),
    },
  ),
  mistake("folds a run's puts first and its deletions last", ["REC-25.last-wins"], {
    adapter: (right, shelf, at) => {
      const deleted = new Map<string, Set<string>>();
      return owning(right, (owned, runId) => ({
        async load(call) {
          const record = await owned.load(call);
          const run = shelf.runs.get(runId);
          if (record === undefined || run === undefined) return record;
          const entries = [...run.entries].filter(([key]) => deleted.get(runId)?.has(key) !== true);
          return recordOf(runId, { ...run, entries: new Map(entries) });
        },
        async save(save) {
          const keys = deleted.get(runId) ?? new Set();
          for (const { kind, key } of save.changes) if (kind === "delete") keys.add(key);
          deleted.set(runId, keys);
          return await saveRun(shelf, save, at);
        },
      }));
    },
  }),
  mistake(
    "ignores deletions",
    ["REC-31.delete"],
    changed((changes) => changes.filter(({ kind }) => kind === "put")),
  ),
  mistake("deletes every entry whose key begins as the deleted one's", ["REC-27.untouched"], {
    adapter: (right, shelf, at) =>
      owning(right, (_owned, runId) => ({
        async save(save) {
          const result = await saveRun(shelf, save, at);
          const run = shelf.runs.get(runId);
          const begins = save.changes.flatMap(({ kind, key }) => (kind === "delete" ? [key] : []));
          if (run === undefined) return result;
          const entries = [...run.entries].filter(([key]) => !begins.some((begin) => key.startsWith(begin)));
          shelf.runs.set(runId, { ...run, entries: new Map(entries) });
          return result;
        },
      })),
  }),
  mistake(
    "keeps the header of the first save",
    ["REC-27.header", "STORE-7.summary"],
    changed((changes, revision) => changes.filter(({ key }) => revision === 1 || key !== headerKey)),
  ),
  mistake("gives the revision that the header was last put with", ["STORE-3.revision-kept"], {
    adapter: (right) =>
      owning(right, (owned, runId) => ({
        async load(call) {
          const record = await owned.load(call);
          if (record === undefined) return undefined;
          const revision = revisions.get(`${runId} ${record.header.definition}`) ?? record.header.revision;
          return { ...record, header: { ...record.header, revision } };
        },
        async save(save, call) {
          const header = save.changes.find(({ key }) => key === headerKey);
          const result = await owned.save(save, call);
          if (header !== undefined) revisions.set(`${runId} ${save.next.header.definition}`, save.revision);
          return result;
        },
      })),
  }),
  mistake("writes what was saved when the session is closed", ["STORE-3.acknowledged"], {
    adapter: (right, shelf, at) =>
      owning(right, (owned, runId) => {
        const own = { ...shelf, runs: new Map<string, ShelfRun>() };
        const begin = shelf.runs.get(runId);
        if (begin !== undefined) own.runs.set(runId, begin);
        return {
          load: async () => readRun(own, runId),
          save: async (save) => await saveRun(own, save, at),
          async release(end) {
            const run = own.runs.get(runId);
            if (run !== undefined) shelf.runs.set(runId, run);
            await owned.release(end);
          },
        };
      }),
  }),
  mistake(
    "keeps no entries of kinds that it does not know",
    ["KIT-4.histories"],
    changed((changes) => changes.filter(({ key }) => /^(?:header|scope|node|attempt|stream)\b/.test(key))),
  ),
  mistake("writes the whole record with each save", ["REC-24.changes-alone"], {
    adapter: (right) =>
      owning(right, (owned) => ({
        async save(save, call) {
          const { next } = save;
          structuredClone([next.scopes, next.nodes, next.attempts]);
          return await owned.save(save, call);
        },
      })),
  }),
  mistake("tells of every save that it went well", ["STORE-4.failed-save"], {
    adapter: (right, shelf, at) =>
      owning(right, () => ({
        async save(save) {
          try {
            return await saveRun(shelf, save, at);
          } catch {
            return "saved";
          }
        },
      })),
  }),
  mistake("writes the first half of a save, then the rest", ["STORE-4.failed-save", "KIT-5.ill-formed"], {
    adapter: (right, shelf, at) =>
      owning(right, (owned, runId) => ({
        async save(save) {
          const run = shelf.runs.get(runId);
          if ((run?.revision ?? 0) !== save.expectedRevision || run === undefined) return await owned.save(save, {});
          const half = save.changes.slice(0, Math.ceil(save.changes.length / 2));
          shelf.runs.set(runId, { ...run, entries: withChanges(run, { changes: half }) });
          return await saveRun(shelf, save, at);
        },
      })),
  }),
  mistake("stops writing a save when it is aborted", ["STORE-4.aborted-save"], {
    adapter: (right, shelf) =>
      owning(right, (_owned, runId) => ({
        async save(save, { signal }) {
          const current = shelf.runs.get(runId);
          if ((current?.revision ?? 0) !== save.expectedRevision) return { conflict: current?.revision ?? 0 };
          for (const change of save.changes) {
            const run = shelf.runs.get(runId);
            shelf.runs.set(runId, { revision: save.revision, entries: withChanges(run, { changes: [change] }) });
            await new Promise((resolve) => setImmediate(resolve));
            signal?.throwIfAborted();
          }
          return await saveRun({ ...shelf, runs: new Map() }, { ...save, expectedRevision: 0 }, nowhere);
        },
      })),
  }),
  mistake("does not look at signals", ["STORE-4.aborted-before"], {
    store: (right) => ({
      ...acquiring(right, (session) => ({
        load: async () => await session.load(),
        save: async (next, expected, changes) => await session.save(next, expected, changes),
      })),
    }),
  }),
];

const revisions = new Map<string, number>();

/** A store that writes other changes than it was given. */
function changed(change: (changes: readonly RecordChange[], revision: number) => readonly RecordChange[]) {
  return {
    adapter: (right: Parameters<typeof owning>[0]) =>
      owning(right, (owned) => ({
        save: async (save, call) => await owned.save({ ...save, changes: change(save.changes, save.revision) }, call),
      })),
  };
}
