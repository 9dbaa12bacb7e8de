import { memoryStore } from "@pulse-ts/durable";
import type { Store } from "@pulse-ts/durable";
import type { StoreSubject } from "../subject.ts";

const ofOneProcess = "its runs are in the memory of one process, and end with it";
const places = new Map<string, Store>();

/** The store in memory: a place is one store, however often it is opened. */
export const subject: StoreSubject = {
  name: "memory",
  async newPlace() {
    const place = `memory ${places.size + 1}`;
    places.set(place, memoryStore());
    return place;
  },
  open(place) {
    const store = places.get(place);
    if (store === undefined) throw new Error(`there is no place "${place}"`);
    return store;
  },
  without: { "STORE-5": ofOneProcess, "KIT-2": ofOneProcess, "KIT-3": ofOneProcess },
};
