import { memoryStore } from "../memory-store.ts";
import type { RecordChanges } from "../record/format.ts";
import type { Session, Store } from "../store.ts";

/** One save as a store saw it. */
export interface SeenSave {
  readonly runId: string;
  readonly revision: number;
  readonly changes: RecordChanges;
}

/** What a test does to the saves of a store. */
export interface Faults {
  /** Called before the inner save; what it throws is the save's error, and nothing was written. */
  before?: (save: SeenSave, signal: AbortSignal | undefined) => void | Promise<void>;
  /** Called after the inner save; what it throws is the save's error although it was written (STORE-4). */
  after?: (save: SeenSave) => void | Promise<void>;
}

/** A store that counts, and that fails where a test says so. */
export interface FaultyStore extends Store {
  readonly saves: readonly SeenSave[];
  readonly acquired: number;
  readonly closed: number;
  readonly faults: Faults;
  /** The process that used the store is gone: its sessions end, and nothing more of them is written. */
  crash(): Promise<void>;
}

export function faultyStore(inner: Store = memoryStore()): FaultyStore {
  const saves: SeenSave[] = [];
  const faults: Faults = {};
  const open = new Set<{ readonly session: Session; dead: boolean }>();
  const counts = { acquired: 0, closed: 0 };
  return {
    ...(inner.catalog === undefined ? {} : { catalog: inner.catalog }),
    saves,
    faults,
    get acquired() {
      return counts.acquired;
    },
    get closed() {
      return counts.closed;
    },
    async acquire(runId, options) {
      counts.acquired += 1;
      const session = await inner.acquire(runId, options);
      const owner = { session, dead: false };
      open.add(owner);
      return {
        load: (call) => session.load(call),
        async save(next, expectedRevision, changes, call) {
          const save = { runId, revision: next.header.revision, changes };
          await faults.before?.(save, call?.signal);
          if (owner.dead) return gone();
          await session.save(next, expectedRevision, changes, call);
          saves.push(save);
          await faults.after?.(save);
        },
        ...(session.content === undefined ? {} : { content: session.content.bind(session) }),
        async close() {
          if (open.delete(owner)) counts.closed += 1;
          if (!owner.dead) await session.close();
        },
      };
    },
    async crash() {
      for (const owner of open) {
        owner.dead = true;
        await owner.session.close();
      }
      open.clear();
    },
  };
}

/** A call into a process that is gone never answers. */
function gone(): Promise<never> {
  return new Promise(() => {});
}
