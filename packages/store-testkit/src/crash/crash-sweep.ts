import { crashTrial } from "./crash-trial.ts";
import type { CrashCase, CrashTrial, Disturbance } from "./crash-trial.ts";
import { seededRandom } from "./idle-host.ts";
import type { KillMoment } from "./kill-moment.ts";
import type { Reference } from "./judge.ts";
import { PointPlan } from "./point-plan.ts";
import type { Violation } from "./violation.ts";

export interface CrashSweepOptions extends CrashCase {
  readonly seed: number;
  /** How often each fault point that a run reaches kills it; 0 leaves them out. */
  readonly killsPerPoint: number;
  /** At most so many kills at fault points, chosen by the seed; default: all. */
  readonly pointKillsMax?: number;
  /** Kills from outside, at moments that the seed chooses. */
  readonly moments: number;
  /** Of each outage of the case so many, at moments that the seed chooses; default 0. */
  readonly outagesEach?: number;
  /** Kills of one run at most; default {@link killsPerRunMaxDefault}. More: deeper resumes, and fewer processes in all. */
  readonly killsPerRunMax?: number;
  /** Told after each run. */
  readonly onTrial?: (trial: CrashTrial) => void;
  /** Asked before each run whether there is time for one more. Default: always. */
  readonly goOn?: () => boolean;
}

export const killsPerRunMaxDefault = 8;

/** A violation, and how to see it again. */
export interface SweepViolation extends Violation {
  readonly input: string;
  readonly seed: number;
  readonly disturbances: readonly Disturbance[];
}

export interface CrashSweep {
  readonly runs: number;
  readonly processes: number;
  /** Kills at fault points and from outside. */
  readonly pointKills: number;
  readonly momentKills: number;
  readonly cancels: number;
  /** Outages of the medium that met a run, by name. */
  readonly outagesMet: Readonly<Record<string, number>>;
  /** Kills by the point that they were at. */
  readonly killsByPoint: Readonly<Record<string, number>>;
  /** Points that were reached, but at which no kill could be placed. */
  readonly pointsMissed: readonly string[];
  readonly violations: readonly SweepViolation[];
}

/**
 * Kills the runs of one case at every fault point that they reach, and at moments from outside, and holds each against an
 * undisturbed one. What it finds is data: nothing throws for a violation. The same options choose the same kills; where a
 * kill from outside lands depends on the machine as well.
 */
export async function crashSweep(options: CrashSweepOptions): Promise<CrashSweep> {
  const { seed, killsPerPoint, pointKillsMax = Infinity, moments, killsPerRunMax = killsPerRunMaxDefault } = options;
  const { onTrial, goOn = () => true, outagesEach = 0, ...crashCase } = options;
  const random = seededRandom(seed);
  const count = { runs: 0, processes: 0, pointKills: 0, momentKills: 0, cancels: 0 };
  const killsByPoint: Record<string, number> = {};
  const outagesMet: Record<string, number> = {};
  const violations: SweepViolation[] = [];
  let reference: Reference | undefined;

  const attempt = async (disturbances: readonly Disturbance[]): Promise<CrashTrial> => {
    const runSeed = Math.floor(random() * 2 ** 31);
    const known = reference === undefined ? {} : { reference };
    const trial = await crashTrial({ ...crashCase, ...known, disturbances, seed: runSeed });
    count.runs += 1;
    count.processes += trial.processes;
    for (const landed of trial.landed) {
      if (landed.kind === "cancel") count.cancels += 1;
      else if (landed.kind === "moment") count.momentKills += 1;
      else if (landed.kind === "outage") outagesMet[landed.outage] = (outagesMet[landed.outage] ?? 0) + 1;
      else {
        count.pointKills += 1;
        killsByPoint[landed.point] = (killsByPoint[landed.point] ?? 0) + 1;
      }
    }
    const { input } = options;
    violations.push(...trial.violations.map((violation) => ({ ...violation, input, seed: runSeed, disturbances })));
    onTrial?.(trial);
    return trial;
  };

  const undisturbed = await attempt([]);
  reference = undisturbed.found;
  const plan = new PointPlan({ random, killsPerPoint, killsPerRunMax });
  if (reference === undefined || violations.length > 0) {
    return { ...count, killsByPoint, outagesMet, pointsMissed: [], violations };
  }
  const { events, points } = reference;
  plan.learn(points);
  const someMoment = (share: number): KillMoment => ({
    events: 1 + Math.floor(random() * events * share),
    turns: Math.floor(random() ** 2 * 60),
  });
  const moment = (share: number): Disturbance => ({ kind: "moment", ...someMoment(share) });
  const learn = ({ found }: CrashTrial): void => {
    if (found !== undefined) plan.learn(found.points);
  };
  // A resume reaches points that an undisturbed run does not.
  if (killsPerPoint > 0 && goOn()) learn(await attempt([moment(0.7)]));
  while (count.pointKills < pointKillsMax && goOn()) {
    const disturbances = plan.next(() => moment(0.5));
    if (disturbances === undefined) break;
    const trial = await attempt(disturbances);
    plan.landed(disturbances, trial.landed);
    learn(trial);
  }
  const wanted = count.momentKills + moments;
  while (count.momentKills < wanted && goOn()) {
    const kills = 1 + Math.floor(random() * Math.min(killsPerRunMax / 2, wanted - count.momentKills));
    const chain = Array.from({ length: kills }, () => moment(1.5 / kills));
    const saves = 1 + Math.floor(random() * 4);
    await attempt(random() < 0.2 ? [...chain, { kind: "cancel", saves }] : chain);
  }
  for (const outage of Object.keys(options.outages ?? {})) {
    const isLeft = (): boolean => (outagesMet[outage] ?? 0) < outagesEach;
    // Of those planned some find the run ended: after so many trials it is not worth trying on.
    for (let trial = 0; trial < 2 * outagesEach && isLeft() && goOn(); trial += 1) {
      const outages = 1 + Math.floor(random() * 3);
      await attempt(
        Array.from({ length: outages }, () => ({ kind: "outage", outage, ...someMoment(1.5 / outages) }) as const),
      );
    }
  }
  return { ...count, killsByPoint, outagesMet, pointsMissed: plan.missed(), violations };
}
