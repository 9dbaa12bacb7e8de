import { afterTurns } from "../crash/kill-moment.ts";
import type { KillMoment } from "../crash/kill-moment.ts";
import type { ProcessEvent } from "./process-event.ts";
import type { StoreProcess } from "./start-process.ts";
import type { ToldRuns } from "./told-runs.ts";

/** Where a process ends. */
export type LifeEnd =
  | { readonly kind: "point"; readonly point: string; readonly nth: number }
  | ({ readonly kind: "moment" } & KillMoment);

export interface LifeOptions {
  readonly place: string;
  readonly seed: number;
  /** From 0: what it does depends on it. */
  readonly life: number;
  readonly lanes: number;
  /** Saves of each lane, unless it is killed before. */
  readonly saves: number;
  readonly busyMsMax: number;
  readonly end?: LifeEnd;
}

/** What became of one process. */
export interface Life {
  /** It was killed where it was to be. */
  readonly killed: boolean;
  /** Fault points that it reached, and how often, if it lived to tell. */
  readonly reached: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly events: number;
  /** Milliseconds from the opening of the store to the first run that was acquired. */
  readonly firstMs?: number;
  readonly problems: readonly string[];
}

/** Lets a process live its life and holds all that it tells against what was told before. */
export async function oneLife(child: StoreProcess, told: ToldRuns, options: LifeOptions): Promise<Life> {
  const { place, seed, life, lanes, saves, busyMsMax, end } = options;
  const problems: string[] = [];
  const reached: string[] = [];
  let counts: Readonly<Record<string, number>> = {};
  let events = 0;
  let isKilled = false;
  let firstMs: number | undefined;
  const start = performance.now();
  child.onEvent((event: ProcessEvent) => {
    events += 1;
    const problem = told.see(event);
    if (problem !== undefined) problems.push(problem);
    if (event.kind === "reached") reached.push(event.point);
    if (event.kind === "done") counts = event.points;
    if (event.kind === "killing") isKilled = true;
    if (event.kind === "failed")
      problems.push(`${event.doing} failed with ${event.code || "no error of Pulse"}: ${event.message}`);
    if (event.kind === "acquired") firstMs ??= performance.now() - start;
    if (end?.kind === "moment" && events === end.events) {
      afterTurns(end.turns, () => {
        isKilled = true;
        child.signal("SIGKILL");
      });
    }
  });
  const stop = end?.kind === "point" ? { stop: { point: end.point, nth: end.nth } } : {};
  child.order({ kind: "open", place, seed, busyMsMax, ...stop });
  child.order({ kind: "live", lanes, saves, life });
  child.order({ kind: "end" });
  const late = await endOf(child);
  const { killed, inOrder, told: ending } = await child.kill();
  if (late !== undefined) problems.push(late);
  else if (!inOrder && !(killed && isKilled)) problems.push(ending);
  return { killed, reached, counts, events, problems, ...(firstMs === undefined ? {} : { firstMs }) };
}

/** Waits for the end of a process. Gives what is wrong when it hangs. */
async function endOf(child: StoreProcess): Promise<string | undefined> {
  const hanging = (async (): Promise<string | undefined> => {
    try {
      for (;;) await child.next("acquired", "busy", "loaded", "saved", "deleted", "closed", "done", "failed");
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  })();
  const ended = child.ended.then(() => undefined);
  return await Promise.race([ended, hanging.then(async (problem) => await stillThere(child, problem))]);
}

/** A process that has ended tells nothing any more either: that is no hanging. */
async function stillThere(child: StoreProcess, problem: string | undefined): Promise<string | undefined> {
  const isThere = Symbol("there");
  const first = await Promise.race([child.ended, Promise.resolve(isThere)]);
  return first === isThere ? problem : undefined;
}
