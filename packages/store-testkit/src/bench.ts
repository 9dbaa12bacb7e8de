import { setMaxListeners } from "node:events";
import type { RunRecord, Session, Store } from "@pulse-ts/durable";
import { catalogOf } from "./catalog-of.ts";
import { randomFrom } from "./random.ts";
import type { Random } from "./random.ts";
import { sameRecord } from "./same-record.ts";
import { checkedSession, checkedStore } from "./store-shape.ts";
import type { StoreSubject } from "./subject.ts";

/** What one check has at hand: an empty place, stores on it, chance. Everything opened through it is closed after the check. */
export interface Bench {
  readonly subject: StoreSubject;
  /** The absolute path of the store module, for checks that need other processes; absent when the kit was not told it. */
  readonly module: string | undefined;
  /** The empty place that this check has for itself. */
  readonly place: string;
  /** The seed of `random`. */
  readonly seed: number;
  readonly random: Random;
  /** At how many random moments a crash check kills. */
  readonly kills: number;
  /** Aborted when the check has taken too long: what it started ends then. */
  readonly signal: AbortSignal;
  /** Tells how far a long check is. */
  say(progress: string): void;
  /** Opens the store on the place; twice gives two stores side by side. Closed after the check. */
  open(at?: (point: string) => void | Promise<void>): Promise<Store>;
  /** Closes one of them before the check ends. */
  shut(store: Store): Promise<void>;
  /** Acquires a run. Closed after the check, if it is not before. */
  acquire(store: Store, runId: string): Promise<Session>;
  /** Compares what a session loads, contents fetched, with the record that it must be. @throws an Error that says where they part */
  loads(session: Session, wanted: RunRecord): Promise<void>;
  /** The same of what the store's catalogue reads. */
  reads(store: Store, wanted: RunRecord): Promise<void>;
  /** The same of a record that the catalogue has read. */
  sameAs(store: Store, seen: RunRecord, wanted: RunRecord): Promise<void>;
}

export interface BenchOptions {
  readonly module?: string | undefined;
  readonly seed: number;
  readonly kills: number;
  readonly signal: AbortSignal;
  readonly say?: ((progress: string) => void) | undefined;
}

/** Makes an empty place and a bench on it. `close` closes all that was opened and removes the place. */
export async function openBench(
  subject: StoreSubject,
  { module, seed, kills, signal, say }: BenchOptions,
): Promise<Bench & { close(): Promise<void> }> {
  // Every session that the check acquires may listen to it.
  setMaxListeners(0, signal);
  const place = await subject.newPlace();
  const stores = new Set<Store>();
  const sessions = new Set<Session>();
  return {
    subject,
    module,
    place,
    seed,
    random: randomFrom(seed),
    kills,
    signal,
    say: (progress) => say?.(progress),
    async open(at) {
      const opened = await (at === undefined ? subject.open(place) : subject.open(place, at));
      const store = checkedStore(subject.name, opened);
      stores.add(store);
      return store;
    },
    async shut(store) {
      stores.delete(store);
      await store.close?.();
    },
    async acquire(store, runId) {
      const session = checkedSession(await store.acquire(runId, { signal }));
      sessions.add(session);
      return session;
    },
    async loads(session, wanted) {
      const fetch = session.content?.bind(session);
      await sameRecord("the record that was loaded", await session.load(), wanted, fetch);
    },
    async reads(store, wanted) {
      await sameAsRead(store, await catalogOf(store).read(wanted.header.runId), wanted);
    },
    sameAs: sameAsRead,
    async close() {
      const ends = [
        ...[...sessions].map((session) => () => session.close()),
        ...[...stores].map((store) => async () => await store.close?.()),
        async () => await subject.removePlace?.(place),
      ];
      const problems: unknown[] = [];
      // One after the other, and the rest also after one that failed: a store is closed when nothing of it is in use.
      for (const end of ends) await end().catch((error: unknown) => problems.push(error));
      if (problems.length > 0) throw problems[0];
    },
  };
}

async function sameAsRead(store: Store, seen: RunRecord, wanted: RunRecord): Promise<void> {
  const catalog = catalogOf(store);
  const content = catalog.content?.bind(catalog);
  const fetch = content && ((digest: string) => content(wanted.header.runId, digest));
  await sameRecord("the record that the catalogue reads", seen, wanted, fetch);
}
