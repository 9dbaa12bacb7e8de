import { openSync, closeSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { randomFrom } from "../random.ts";
import { sampleRun } from "../sample-run.ts";
import { acquireOrBusy } from "./acquire-soon.ts";
import type { OpenProcess } from "./follow-orders.ts";
import { workRunId } from "./process-order.ts";
import type { ProcessOrder } from "./process-order.ts";
import { loadTold, saveTold } from "./told-session.ts";

/** Milliseconds of rest at most when every run that is left is busy. */
const restMsMax = 20;

/**
 * Races for runs until each was saved so many times, by whomever. What it does is also appended to a file that all
 * processes of the race share: appends have one order, the pipes of several processes have none.
 */
export async function work(
  { store, tell }: OpenProcess,
  { runs, times, log, worker }: Extract<ProcessOrder, { kind: "work" }>,
): Promise<void> {
  const random = randomFrom(worker);
  let left = Array.from({ length: runs }, (_, number) => workRunId(number));
  const file = openSync(log, "a");
  const note = (runId: string, what: string): void => {
    writeSync(file, `${JSON.stringify([runId, worker, what])}\n`);
  };
  try {
    while (left.length > 0) {
      let got = 0;
      // Each in another order: those who go the same way meet at every run.
      for (const runId of shuffled(left, random.below)) {
        const session = await acquireOrBusy(store, runId);
        if (session === undefined) continue;
        note(runId, "begin");
        got += 1;
        const run = sampleRun(runId);
        let revision = await loadTold(session, run, tell);
        if (revision < times) {
          await saveTold(session, run, (revision += 1), tell);
          note(runId, `saved ${revision}`);
        }
        if (revision >= times) left = left.filter((each) => each !== runId);
        note(runId, "end");
        await session.close();
      }
      if (got === 0) await setTimeout(1 + random.below(restMsMax));
    }
  } finally {
    closeSync(file);
  }
}

function shuffled(items: readonly string[], below: (limit: number) => number): readonly string[] {
  return items
    .map((item) => ({ item, at: below(2 ** 30) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
