import type { Session, Store } from "@pulse-ts/durable";
import { defineStore } from "@pulse-ts/durable/define-store";
import type { StoreSubject } from "../../subject.ts";
import { emptyShelf, shelfAdapter, shelfPoints } from "./shelf.ts";
import type { At, Shelf, ShelfAdapter, ShelfOwned } from "./shelf.ts";

/** A store that is wrong in one known way, and the requirements that must catch it (KIT-7). */
export interface Mistake {
  /** What it does, to stand after "a store that". */
  readonly does: string;
  readonly caughtBy: readonly string[];
  readonly subject: StoreSubject;
}

/** How a store is wrong: in its medium's part, or in what callers see. */
export interface Wrong {
  adapter?(right: ShelfAdapter, shelf: Shelf, at: At): ShelfAdapter;
  store?(right: Store, shelf: Shelf): Store;
}

export function mistake(does: string, caughtBy: readonly string[], wrong: Wrong): Mistake {
  return { does, caughtBy, subject: shelfSubject(`that ${does}`, wrong) };
}

/** The right store on a shelf, but for what is wrong. Another open of a place has the same shelf. */
export function shelfSubject(name: string, { adapter, store }: Wrong = {}): StoreSubject {
  const shelves = new Map<string, Shelf>();
  return {
    name,
    async newPlace() {
      const place = `shelf ${shelves.size + 1}`;
      shelves.set(place, emptyShelf());
      return place;
    },
    open(place, at = () => undefined) {
      const shelf = shelves.get(place);
      if (shelf === undefined) throw new Error(`there is no ${place}`);
      const right = shelfAdapter(shelf, at);
      const made = defineStore(adapter?.(right, shelf, at) ?? right);
      return store?.(made, shelf) ?? made;
    },
    faultPoints: shelfPoints,
  };
}

/** The adapter with other owned runs. */
export function owning(
  right: ShelfAdapter,
  wrong: (owned: ShelfOwned, runId: string) => Partial<ShelfOwned>,
): ShelfAdapter {
  return {
    ...right,
    async own(runId) {
      const owned = await right.own(runId);
      return { ...owned, ...wrong(owned, runId) };
    },
  };
}

/** The store with other sessions. */
export function acquiring(
  right: Store,
  wrong: (session: Session, runId: string) => Partial<Session> | Promise<Partial<Session>>,
): Store {
  return {
    ...right,
    async acquire(runId, options) {
      const session = await right.acquire(runId, options);
      return { ...session, ...(await wrong(session, runId)) };
    },
  };
}
