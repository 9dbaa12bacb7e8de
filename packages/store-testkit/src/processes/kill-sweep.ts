import { isPulseError } from "@pulse-ts/core";
import type { Store } from "@pulse-ts/durable";
import { randomFrom } from "../random.ts";
import type { Random } from "../random.ts";
import { takeoverMsDefault } from "../subject.ts";
import type { StoreSubject } from "../subject.ts";
import { acquireSoon } from "./acquire-soon.ts";
import { oneLife } from "./life.ts";
import type { Life, LifeEnd } from "./life.ts";
import { mixedRun } from "./mixed-run.ts";
import { processPool } from "./process-pool.ts";
import { loadTold } from "./told-session.ts";
import { ToldRuns } from "./told-runs.ts";

export interface KillSweepOptions {
  /** The path of the store module; each process loads it. */
  readonly module: string;
  readonly subject: StoreSubject;
  /** An empty place of the subject. */
  readonly place: string;
  readonly seed: number;
  /** How often each fault point that a process reaches kills one; 0 leaves them out. */
  readonly killsPerPoint: number;
  /** At most so many kills at fault points, chosen by the seed; default: all. */
  readonly pointKillsMax?: number;
  /** Kills from outside, at moments that the seed chooses; where they land depends on the machine as well. */
  readonly moments: number;
  readonly signal: AbortSignal;
  readonly say?: (progress: string) => void;
}

/** One thing that must not happen, and did. */
export interface KillViolation {
  readonly message: string;
  /** Which of the processes, from 0. */
  readonly life: number;
  /** Where it, and the one before it, was killed. */
  readonly ends: readonly (LifeEnd | undefined)[];
}

export interface KillSweep {
  readonly processes: number;
  readonly momentKills: number;
  readonly killsByPoint: Readonly<Record<string, number>>;
  /** Of the subject's fault points: those that no process came to. */
  readonly pointsNotReached: readonly string[];
  /** Milliseconds from the opening of the store to the first run acquired, of each process that came after a killed one. */
  readonly takeoversMs: readonly number[];
  readonly violations: readonly KillViolation[];
}

/** Runs that one process works on at once, beside the one that comes and goes. */
const lanes = 3;
/** Saves of each lane in a life that nothing ends. */
const calmSaves = 16;
/** Saves of each lane after which a fault point counts as not reached. */
const pointSaves = 20;
/** Saves of each lane in a life that is ended from outside: no limit but that end. */
const momentSaves = 1_000_000;
/** How often a kill is tried whose point was not reached: once more, in a new place. */
const triesMax = 2;
/** Turns of this process's event loop at most between what is told and a kill from outside. */
const turnsMax = 80;

/** Milliseconds after a kill within which a run must be free, far above what the subject says: machines differ. */
export const takeoverLimitMs = ({ takeoverMs = takeoverMsDefault }: StoreSubject): number => 5_000 + 20 * takeoverMs;

/**
 * Kills one process after the other that saves runs of a store, at its fault points and at moments from outside (KIT-2).
 * Each takes over from the one before, loads and compares, and goes on saving. What it finds is data: nothing throws for a
 * violation.
 */
export async function killSweep(options: KillSweepOptions): Promise<KillSweep> {
  const { module, subject, seed, killsPerPoint, pointKillsMax = Infinity, moments, signal, say } = options;
  const random = randomFrom(seed);
  const used: string[] = [];
  let { place } = options;
  let told = new ToldRuns();
  const violations: KillViolation[] = [];
  const takeoversMs: number[] = [];
  const killsByPoint: Record<string, number> = {};
  const reached = new Set<string>();
  const points = new PointQueue(killsPerPoint, random);
  const count = { processes: 0, momentKills: 0 };
  let pointKills = 0;
  let before: LifeEnd | undefined;
  let wasKilled = false;
  await using pool = processPool(module, signal);

  const live = async (saves: number, end?: LifeEnd): Promise<Life> => {
    const life = count.processes;
    const child = await pool.take();
    const busyMsMax = takeoverLimitMs(subject);
    const found = await oneLife(child, told, { place, seed, life, lanes, saves, busyMsMax, ...(end && { end }) });
    signal.throwIfAborted();
    count.processes += 1;
    for (const point of found.reached) reached.add(point);
    points.learn(found.reached);
    if (wasKilled && found.firstMs !== undefined) takeoversMs.push(found.firstMs);
    violations.push(...found.problems.map((message) => ({ message, life, ends: [before, end] })));
    before = end;
    wasKilled = found.killed;
    return found;
  };

  const calm = await live(calmSaves);
  for (
    let next = points.next();
    next !== undefined && violations.length === 0 && pointKills < pointKillsMax;
    next = points.next()
  ) {
    const { point, first } = next;
    if (next.tries > 0) {
      // What is done once in a place is reached there by the first process alone.
      used.push((place = await subject.newPlace()));
      told = new ToldRuns();
      wasKilled = false;
    }
    const nth = first ? 1 : 1 + random.below(calm.counts[point] ?? 1);
    const { killed, reached: met } = await live(pointSaves, { kind: "point", point, nth });
    if (killed) {
      pointKills += 1;
      killsByPoint[point] = (killsByPoint[point] ?? 0) + 1;
    } else {
      points.again(next);
      points.unmet(met);
    }
    say?.(`${point}: ${killed ? "killed" : "not reached"}, ${points.left} to go`);
  }
  while (count.momentKills < moments && violations.length === 0) {
    const events = 1 + random.below(calm.events);
    const turns = Math.floor((random.below(1_000) / 1_000) ** 2 * turnsMax);
    const { killed } = await live(momentSaves, { kind: "moment", events, turns });
    if (killed) count.momentKills += 1;
    if (count.momentKills % 25 === 0) say?.(`${count.momentKills} of ${moments} kills at random moments`);
  }
  if (violations.length === 0) await live(calmSaves);
  if (violations.length === 0) {
    const life = count.processes;
    for (const message of await endCheck({ ...options, place }, told))
      violations.push({ message, life, ends: [before] });
  }
  for (const each of used) await subject.removePlace?.(each);
  const pointsNotReached = (subject.faultPoints ?? []).filter((point) => !reached.has(point));
  return { ...count, killsByPoint, pointsNotReached, takeoversMs, violations };
}

/** Fault points that are still to kill a process. */
class PointQueue {
  readonly #killsPerPoint: number;
  readonly #known = new Set<string>();
  readonly #left: PointKill[] = [];

  readonly #random: Random;

  constructor(killsPerPoint: number, random: Random) {
    this.#killsPerPoint = killsPerPoint;
    this.#random = random;
  }

  get left(): number {
    return this.#left.length;
  }

  learn(reached: readonly string[]): void {
    for (const point of reached) {
      if (this.#known.has(point)) continue;
      this.#known.add(point);
      // Every other one at its first time, where a process has little behind it; more kills of one at any time.
      for (let kill = 0; kill < this.#killsPerPoint; kill += 1) {
        const at = this.#random.below(this.#left.length + 1);
        this.#left.splice(at, 0, { point, first: kill === 0 && this.#known.size % 2 === 0, tries: 0 });
      }
    }
  }

  next(): PointKill | undefined {
    return this.#left.shift();
  }

  /** A whole life has met these alone: a process after it will not meet the others either. */
  unmet(met: readonly string[]): void {
    for (const [at, kill] of this.#left.entries()) {
      if (!met.includes(kill.point)) this.#left[at] = { ...kill, first: true, tries: Math.max(1, kill.tries) };
    }
  }

  /** It was not reached: once more, at its first time, if that has not been tried too often. */
  again({ point, tries }: PointKill): void {
    if (tries + 1 < triesMax) this.#left.push({ point, first: true, tries: tries + 1 });
  }
}

interface PointKill {
  readonly point: string;
  readonly first: boolean;
  readonly tries: number;
}

/** Loads every run here, in a process that had no part in it. */
async function endCheck(
  { subject, place, seed, signal }: KillSweepOptions,
  told: ToldRuns,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const store: Store = await subject.open(place);
  try {
    for (const runId of told.runIds) {
      const { session } = await acquireSoon(store, runId, { msMax: takeoverLimitMs(subject), signal });
      await loadTold(session, mixedRun(runId, seed), (event) => {
        const problem = told.see(event);
        if (problem !== undefined) problems.push(problem);
      });
      await session.close();
    }
  } catch (error) {
    if (!isPulseError(error)) throw error;
    problems.push(`loading at the end failed with ${error.code}: ${error.message}`);
  } finally {
    await store.close?.();
  }
  return problems;
}
