import type { Session, Store } from "@pulse-ts/durable";
import type { ChildVoice } from "../crash/child-voice.ts";
import { faultPoints } from "../crash/fault-points.ts";
import type { FaultPoints } from "../crash/fault-points.ts";
import type { SampleRun } from "../sample-run.ts";
import type { StoreSubject } from "../subject.ts";
import { acquireOrBusy } from "./acquire-soon.ts";
import { live } from "./live.ts";
import { mixedRun } from "./mixed-run.ts";
import type { ProcessEvent } from "./process-event.ts";
import type { ProcessOrder } from "./process-order.ts";
import { loadTold, saveTold } from "./told-session.ts";
import { work } from "./work.ts";

/** Follows one order after the other; gives how often each fault point was reached so far. */
export type FollowOrder = (order: ProcessOrder) => Promise<FaultPoints["counts"]>;

/** What a process needs for orders, once its store is open. */
export interface OpenProcess {
  readonly store: Store;
  readonly tell: ChildVoice<ProcessEvent>;
  readonly busyMsMax: number;
  /** The run of this id, the same in every process. */
  run(runId: string): SampleRun;
}

interface Owned {
  readonly session: Session;
  revision: number;
}

export function followOrders(subject: StoreSubject, tell: ChildVoice<ProcessEvent>): FollowOrder {
  let opened: (OpenProcess & { readonly points: FaultPoints }) | undefined;
  const owned = new Map<string, Owned>();
  const known = (): OpenProcess => {
    if (opened === undefined) throw new Error("the first order must be to open the store");
    return opened;
  };
  const ownedRun = (runId: string): Owned => {
    const found = owned.get(runId);
    if (found === undefined) throw new Error(`run "${runId}" is not acquired here`);
    return found;
  };
  const follow = async (order: ProcessOrder): Promise<void> => {
    switch (order.kind) {
      case "open":
        opened = await open(subject, order, tell);
        return;
      case "live":
        return await live(known(), order);
      case "acquire": {
        const { store, run } = known();
        const session = await acquireOrBusy(store, order.runId);
        tell({ kind: session === undefined ? "busy" : "acquired", runId: order.runId });
        if (session === undefined) return;
        owned.set(order.runId, { session, revision: await loadTold(session, run(order.runId), tell) });
        return;
      }
      case "save": {
        const own = ownedRun(order.runId);
        const run = known().run(order.runId);
        for (let save = 0; save < order.saves; save += 1) {
          await saveTold(own.session, run, own.revision + 1, tell);
          own.revision += 1;
        }
        return;
      }
      case "close":
        await ownedRun(order.runId).session.close();
        owned.delete(order.runId);
        tell({ kind: "closed", runId: order.runId });
        return;
      case "work":
        return await work(known(), order);
      case "end":
        await opened?.store.close?.();
    }
  };
  return async (order) => {
    await follow(order);
    return opened?.points.counts ?? {};
  };
}

async function open(
  subject: StoreSubject,
  { place, seed, busyMsMax, stop }: Extract<ProcessOrder, { kind: "open" }>,
  tell: ChildVoice<ProcessEvent>,
): Promise<OpenProcess & { readonly points: FaultPoints }> {
  const points = faultPoints(stop, tell, (point) => tell({ kind: "reached", point }));
  const store = await subject.open(place, (point) => points.reach(point));
  const runs = new Map<string, SampleRun>();
  const run = (runId: string): SampleRun => {
    const found = runs.get(runId) ?? mixedRun(runId, seed);
    runs.set(runId, found);
    return found;
  };
  return { store, tell, busyMsMax, run, points };
}
