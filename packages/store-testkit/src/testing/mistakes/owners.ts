import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { busy, unlessAborted } from "@pulse-ts/durable/define-store";
import { firstChanges, folded } from "../../sample-run.ts";
import { acquiring, mistake, owning } from "./mistake.ts";

/** Wrong about who owns a run. */
export const ownerMistakes = [
  mistake("accepts a second owner", ["STORE-1.busy", "STORE-2.close-mine"], {
    adapter: (right, { owned }) => ({
      ...right,
      async own(runId) {
        owned.delete(runId);
        return await right.own(runId);
      },
    }),
  }),
  mistake("gives the run to nobody once a second one asked for it", ["STORE-1.busy-harmless"], {
    store(right) {
      const sessions = new Map<string, Session>();
      return {
        ...right,
        async acquire(runId, options) {
          try {
            const session = await right.acquire(runId, options);
            sessions.set(runId, session);
            return session;
          } catch (error) {
            await sessions.get(runId)?.close();
            throw error;
          }
        },
      };
    },
  }),
  mistake("looks for an owner, and takes the run later", ["STORE-1.race"], {
    adapter: (right, { owned }) => ({
      ...right,
      async own(runId) {
        if (owned.has(runId)) throw busy("acquiring", runId, "somebody");
        await new Promise((resolve) => setImmediate(resolve));
        owned.delete(runId);
        return await right.own(runId);
      },
    }),
  }),
  mistake("writes each save to the run that was acquired last", ["STORE-1.independent"], {
    adapter(right) {
      let last = "";
      return owning(right, (owned, runId) => {
        last = runId;
        return { save: async (save, call) => await owned.save({ ...save, runId: last }, call) };
      });
    },
  }),
  mistake("keeps a run's id in lower case", ["STORE-1.run-ids"], {
    adapter: (right) => ({ ...right, own: async (runId) => await right.own(runId.toLowerCase()) }),
  }),
  mistake("keeps the first 255 characters of a run's id", ["STORE-1.long-run-ids"], {
    adapter: (right) =>
      owning({ ...right, own: async (runId) => await right.own(runId.slice(0, 255)) }, (owned, runId) => ({
        save: async (save, call) => await owned.save({ ...save, runId: runId.slice(0, 255) }, call),
      })),
  }),
  mistake("does not let go of a run that is closed", ["STORE-2.release", "STORE-2.close-again"], {
    adapter: (right) => owning(right, () => ({ release: async () => undefined })),
  }),
  mistake("makes a run when it is acquired", ["STORE-2.release-unsaved", "STORE-3.not-found", "STORE-7.unsaved"], {
    store: (right) =>
      acquiring(right, async (session, runId) => {
        try {
          await session.load();
        } catch (error) {
          if (!isPulseError(error, "PULSE_NOT_FOUND")) throw error;
          await session.save(folded(runId, firstChanges(runId)), 0, firstChanges(runId));
        }
        return {};
      }),
  }),
  mistake("does as before after close", ["STORE-2.closed", "STORE-6.former-owner"], {
    store: (right, { owned }) =>
      acquiring(right, (session, runId) => ({
        close: async () => {
          await session.load().catch(() => undefined);
          owned.delete(runId);
        },
      })),
  }),
  mistake("refuses a second close", ["STORE-2.close-again"], {
    store: (right) =>
      acquiring(right, (session) => {
        let isClosed = false;
        return {
          async close() {
            if (isClosed) throw new Error("it is closed already");
            isClosed = true;
            await session.close();
          },
        };
      }),
  }),
  mistake("lets go of a run by its id, whoever owns it now", ["STORE-2.close-mine"], {
    store: (right, { owned }) =>
      acquiring(right, (session, runId) => ({
        async close() {
          await session.close();
          owned.delete(runId);
        },
      })),
  }),
  mistake("closes while a save is on its way", ["STORE-2.close-waits"], {
    adapter: (right) =>
      owning(right, (owned) => ({
        async save(save, call) {
          for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          return await owned.save(save, call);
        },
      })),
    store: (right, { owned }) =>
      acquiring(right, (session, runId) => ({
        async close() {
          void session.close();
          owned.delete(runId);
        },
      })),
  }),
  mistake("forgets its runs when it is closed", ["STORE-2.store-close"], {
    store: (right, { runs }) => ({
      ...right,
      async close() {
        await right.close?.();
        runs.clear();
      },
    }),
  }),
  mistake("refuses a second close of the store", ["STORE-2.store-close"], {
    store(right) {
      let isClosed = false;
      return {
        ...right,
        async close() {
          if (isClosed) throw new Error("it is closed already");
          isClosed = true;
        },
      };
    },
  }),
  mistake("keeps a run that a failed acquire had taken", ["STORE-4.failed-acquire"], {
    adapter: (right, { owned }) => ({
      ...right,
      async own(runId) {
        if (owned.has(runId)) throw busy("acquiring", runId, "somebody");
        try {
          return await right.own(runId);
        } catch (error) {
          owned.add(runId);
          throw error;
        }
      },
    }),
  }),
  mistake("keeps a run whose acquire was aborted", ["STORE-1.aborted-acquire"], {
    store: (right) => ({
      ...right,
      acquire: async (runId, { signal } = {}) => await unlessAborted(right.acquire(runId), signal),
    }),
  }),
];
