import { headerKey } from "@pulse-ts/durable";
import type { RecordChange, RunRecord, Session, Store } from "@pulse-ts/durable";
import type { Bench } from "./bench.ts";
import { allPages, catalogOf } from "./catalog-of.ts";
import { refused, same, sameList } from "./expectation.ts";
import { emptyModel } from "./model.ts";
import { randomFrom } from "./random.ts";
import type { Random } from "./random.ts";
import { randomChanges } from "./random-changes.ts";

export interface HistoryOptions {
  readonly seed: number;
  readonly steps: number;
  /** Whether the store has a catalogue: without it nothing is listed, read or deleted. */
  readonly hasCatalog: boolean;
}

/**
 * Lives through one random history (KIT-4): runs are acquired, saved, loaded, closed, listed and deleted through two
 * stores on one place, which are closed and opened anew. After each save, load equals the fold of all changes, and the
 * rest is as the model says. @throws an Error that ends with the last steps
 */
export async function history(bench: Bench, { seed, steps, hasCatalog }: HistoryOptions): Promise<void> {
  const told: string[] = [];
  const life = await openLife(bench, randomFrom(seed), (step) => told.push(step));
  try {
    for (let step = 0; step < steps; step += 1) {
      bench.signal.throwIfAborted();
      await life.step(hasCatalog);
    }
    await life.end(hasCatalog);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const last = told.slice(-toldMax).join("; ");
    throw new Error(`${message}\n  in the history of seed ${seed}, after ${told.length} steps, the last: ${last}`, {
      cause: error,
    });
  }
}

/** Steps that a failure tells. */
const toldMax = 12;

interface Owned {
  readonly store: Store;
  readonly session: Session;
}

/** The runs of a history: few, so that everything happens to each of them. */
const runIds = ["a", "b", "A/b", "\u00E9 😀"];

async function openLife(bench: Bench, random: Random, tell: (step: string) => void) {
  const model = emptyModel();
  const stores = [await bench.open(), await bench.open()];
  const owned = new Map<string, Owned>();

  const loads = async (runId: string, session: Session): Promise<void> => {
    if (model.revision(runId) > 0) return await bench.loads(session, model.record(runId));
    await refused("PULSE_NOT_FOUND", `loading the run "${runId}" that is not there`, () => session.load());
    return undefined;
  };

  const acquire = async (runId: string, store: Store): Promise<void> => {
    tell(`acquire ${runId}`);
    if (owned.has(runId)) {
      await refused("PULSE_BUSY", `acquiring the owned run "${runId}"`, () => store.acquire(runId));
      return;
    }
    const session = await bench.acquire(store, runId);
    owned.set(runId, { store, session });
    await loads(runId, session);
  };

  const save = async (runId: string, { session }: Owned): Promise<void> => {
    const revision = model.revision(runId);
    const changes = randomChanges(random, runId, revision + 1);
    const next = model.next(runId, changes);
    if (random.below(8) === 0) {
      const stale = revision + random.pick([-1, 1, 5]);
      tell(`save ${runId} from ${stale} where ${revision} stands`);
      const header = { ...next.header, revision: stale + 1 };
      const record: RunRecord = { ...next, header };
      // With a header, as a first save has one: of two things that are wrong a store may tell either.
      const wrong = [{ kind: "put", key: headerKey, entry: header } as const, ...changes.filter(notHeader)];
      await refused("PULSE_CONFLICT", `saving from revision ${stale}`, () => session.save(record, stale, wrong));
    } else {
      tell(`save ${runId} to ${revision + 1}: ${changes.map(({ kind, key }) => `${kind} ${key}`).join(", ")}`);
      await session.save(next, revision, changes);
      model.save(runId, changes);
    }
    await loads(runId, session);
  };

  const close = async (runId: string, { session }: Owned): Promise<void> => {
    tell(`close ${runId}`);
    owned.delete(runId);
    await session.close();
  };

  const reopen = async (at: number): Promise<void> => {
    const store = stores[at];
    if (store === undefined) return;
    for (const [runId, own] of owned) if (own.store === store) await close(runId, own);
    tell(`open store ${at} anew`);
    await bench.shut(store);
    stores[at] = await bench.open();
  };

  const remove = async (runId: string, store: Store): Promise<void> => {
    tell(`delete ${runId}`);
    const deleting = (): Promise<void> => catalogOf(store).delete(runId);
    if (owned.has(runId)) return void (await refused("PULSE_BUSY", `deleting the owned run "${runId}"`, deleting));
    await deleting();
    return model.delete(runId);
  };

  const look = async (store: Store): Promise<void> => {
    tell("list and read");
    const catalog = catalogOf(store);
    const found = await allPages(catalog, { limit: 1 + random.below(5) });
    sameList(
      "the listed runs",
      found.map(({ runId, revision, status }) => `${runId} ${revision} ${status}`),
      model.runIds().map((runId) => `${runId} ${model.revision(runId)} ${model.record(runId).header.status}`),
    );
    same("the count", await catalog.count(), model.runIds().length);
    for (const runId of model.runIds()) await bench.reads(store, model.record(runId));
  };

  return {
    async step(hasCatalog: boolean): Promise<void> {
      const runId = random.pick(runIds);
      const store = random.pick(stores);
      const own = owned.get(runId);
      const chance = random.below(20);
      if (chance === 0) return await reopen(random.below(stores.length));
      if (hasCatalog && chance === 1) return await look(store);
      if (hasCatalog && chance === 2) return await remove(runId, store);
      if (own === undefined || chance === 3) return await acquire(runId, store);
      return chance < 6 ? await close(runId, own) : await save(runId, own);
    },
    /** Everything is closed and opened anew, and all that was saved is there. */
    async end(hasCatalog: boolean): Promise<void> {
      for (const at of stores.keys()) await reopen(at);
      for (const runId of runIds) await acquire(runId, random.pick(stores));
      if (hasCatalog) await look(random.pick(stores));
    },
  };
}

const notHeader = ({ key }: RecordChange): boolean => key !== headerKey;
