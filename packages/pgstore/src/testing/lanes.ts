import { isPulseError } from "@pulse-ts/core";
import type { RunRecord, Session, Store } from "@pulse-ts/durable";
import { expect } from "vitest";
import { sampleRun } from "./sample-run.ts";
import type { SampleRun } from "./sample-run.ts";

/** Runs that are saved side by side while something happens to the server. */
export interface Lanes {
  /** Resolves when so many saves more have been acknowledged. */
  saved(more: number): Promise<void>;
  /** Resolves when each run has had all its saves. */
  readonly done: Promise<void>;
  /** How many sessions ended with an error. */
  readonly failures: number;
}

export interface LaneOptions {
  readonly count: number;
  /** Saves of each run. */
  readonly saves: number;
}

/**
 * Saves so many runs at once. After each error the run is acquired and loaded again, which must give what was acknowledged
 * last, or the one save that was under way.
 */
export function runLanes(store: Store, { count, saves }: LaneOptions): Lanes {
  let [acknowledged, failures] = [0, 0];
  const waiting = new Set<{ readonly at: number; readonly done: () => void }>();
  const acknowledge = (): void => {
    acknowledged += 1;
    for (const one of waiting) {
      if (acknowledged < one.at) continue;
      waiting.delete(one);
      one.done();
    }
  };
  const lane = async (run: SampleRun): Promise<void> => {
    let known = 0;
    while (known < saves) {
      const session = await acquireAgain(store, run.runId);
      try {
        const found = await loaded(session);
        const revision = found?.header.revision ?? 0;
        expect([known, known + 1]).toContain(revision);
        expect(found).toEqual(revision === 0 ? undefined : run.at(revision));
        known = revision;
        while (known < saves) {
          await session.save(run.at(known + 1), known, run.changesTo(known + 1));
          known += 1;
          acknowledge();
        }
      } catch (error) {
        if (!expected.has(codeOf(error))) throw error;
        failures += 1;
      }
      await session.close().catch(onlyStoreErrors);
    }
  };
  const runs = Array.from({ length: count }, (_, number) => sampleRun(`lane ${number}`));
  const done = Promise.all(runs.map(lane)).then(() => undefined);
  // Whoever waits for `saved` is told when a lane ends with an error.
  done.catch(() => undefined);
  return {
    done,
    get failures() {
      return failures;
    },
    saved: async (more) =>
      await Promise.race([
        done,
        new Promise<void>((resolve) => waiting.add({ at: acknowledged + more, done: resolve })),
      ]),
  };
}

/** What was saved; nothing before the first save. */
export async function loaded(session: Session): Promise<RunRecord | undefined> {
  try {
    return await session.load();
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** What a lost connection or a lost run makes of a call; anything else is a fault. */
const expected = new Set(["PULSE_STORE", "PULSE_OWNERSHIP_LOST"]);
const codeOf = (error: unknown): string => (isPulseError(error) ? error.code : "");

const attemptsMax = 400;

/** A run that could not be let go is free after its lease, and a server that starts takes its time. */
async function acquireAgain(store: Store, runId: string): Promise<Session> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store.acquire(runId);
    } catch (error) {
      if (attempt === attemptsMax || !(isPulseError(error, "PULSE_BUSY") || isPulseError(error, "PULSE_STORE")))
        throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function onlyStoreErrors(error: unknown): void {
  if (!isPulseError(error, "PULSE_STORE")) throw error;
}
