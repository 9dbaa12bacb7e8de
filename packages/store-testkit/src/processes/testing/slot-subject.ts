import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreSubject } from "../../subject.ts";
import { slotFaultPoints, slotStore } from "./slot-store.ts";
import type { SlotOptions } from "./slot-store.ts";

/** A subject of the slot store, right or wrong in one way. */
export function slotSubject(name: string, options: Pick<SlotOptions, "leaseMs" | "mistake"> = {}): StoreSubject {
  return {
    name,
    newPlace: async () => await mkdtemp(join(tmpdir(), "pulse-slots-")),
    open: (folder, at) => slotStore({ folder, at, ...options }),
    removePlace: async (folder) => await rm(folder, { recursive: true, force: true }),
    faultPoints: slotFaultPoints,
    // So that a lock that is left for ever is told soon.
    takeoverMs: 50,
    ...(options.leaseMs === undefined ? {} : { overtakeMs: options.leaseMs }),
  };
}
