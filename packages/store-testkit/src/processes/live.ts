import { isPulseError } from "@pulse-ts/core";
import type { Session, Store } from "@pulse-ts/durable";
import { randomFrom } from "../random.ts";
import { acquireSoon } from "./acquire-soon.ts";
import type { OpenProcess } from "./follow-orders.ts";
import { laneRunId, passingRunId } from "./process-order.ts";
import type { ProcessOrder } from "./process-order.ts";
import { loadTold, saveTold } from "./told-session.ts";

type Life = Extract<ProcessOrder, { kind: "live" }>;

/** Saves of one ownership at most. */
const burstMax = 8;

/**
 * The life of a process under load, to be killed anywhere in it: several runs are acquired, loaded, saved and let go at
 * the same time, while one run comes and goes and contents are collected, as far as the store offers that.
 */
export async function live(open: OpenProcess, life: Life): Promise<void> {
  let lanes = life.lanes;
  const going = (): boolean => lanes > 0;
  const all = Array.from({ length: life.lanes }, async (_, lane) => {
    await work(open, life, lane);
    lanes -= 1;
  });
  await Promise.all([...all, comeAndGo(open, going)]);
}

async function work(open: OpenProcess, { saves, life }: Life, lane: number): Promise<void> {
  const { run, tell } = open;
  const wanted = run(laneRunId(lane, life));
  const random = randomFrom(life * 64 + lane);
  for (let done = 0; done < saves;) {
    const session = await take(open, wanted.runId);
    let revision = await loadTold(session, wanted, tell);
    const burst = Math.min(1 + random.below(burstMax), saves - done);
    for (let save = 0; save < burst; save += 1) await saveTold(session, wanted, (revision += 1), tell);
    done += burst;
    await session.close();
    tell({ kind: "closed", runId: wanted.runId });
  }
}

async function comeAndGo(open: OpenProcess, going: () => boolean): Promise<void> {
  const { store, run, tell } = open;
  const passing = run(passingRunId);
  const { catalog } = store;
  do {
    const session = await take(open, passingRunId);
    let revision = await loadTold(session, passing, tell);
    for (let save = 0; save < 3; save += 1) await saveTold(session, passing, (revision += 1), tell);
    await session.close();
    tell({ kind: "closed", runId: passingRunId });
    if (catalog !== undefined) {
      tell({ kind: "deleting", runId: passingRunId });
      await catalog.delete(passingRunId);
      tell({ kind: "deleted", runId: passingRunId });
    }
    await collect(store);
  } while (going());
}

async function take({ store, busyMsMax, tell }: OpenProcess, runId: string): Promise<Session> {
  const { session } = await acquireSoon(store, runId, { msMax: busyMsMax });
  tell({ kind: "acquired", runId });
  return session;
}

/** Collects contents at once, where the store offers it and knows of a window. */
async function collect(store: Store): Promise<void> {
  const { collect: collectContents } = store as Store & { collect?(options?: { windowMs?: number }): Promise<unknown> };
  if (collectContents === undefined) return;
  try {
    await collectContents.call(store, { windowMs: 0 });
  } catch (error) {
    if (!isPulseError(error, "PULSE_INVALID")) throw error;
    await collectContents.call(store);
  }
}
