import type { ChildOrder, ChildStop } from "./child-order.ts";
import { folderPlace } from "./crash-place.ts";
import type { OpenCrashPlace } from "./crash-place.ts";
import { judge } from "./judge.ts";
import type { Judgement, Reference } from "./judge.ts";
import { runChild } from "./start-child.ts";
import type { KillMoment } from "./kill-moment.ts";
import type { ChildReport, CrashProgram } from "./start-child.ts";

/** What is run, and where it is written. */
export interface CrashCase {
  readonly program: CrashProgram;
  readonly subject: string;
  readonly store: string;
  readonly input: string;
  /** Where each run of it is written; default: a folder of its own in the system's temporary one. */
  readonly openPlace?: OpenCrashPlace;
  /** What can happen to the medium while a process runs, by name: connections are cut, the server stops and starts again. */
  readonly outages?: Readonly<Record<string, () => Promise<void>>>;
}

/**
 * How one process of a run is ended: by itself at a fault point, by its host's cancelling, by `kill -9` from outside, or by
 * an outage of the medium, which it may as well survive.
 */
export type Disturbance =
  | ChildStop
  | ({ readonly kind: "moment" } & KillMoment)
  | ({ readonly kind: "outage"; readonly outage: string } & KillMoment);

export interface CrashTrialOptions extends CrashCase {
  /** One after the other, each in a process of its own; after them the run goes on to its end. */
  readonly disturbances: readonly Disturbance[];
  readonly seed: number;
  /** What the run is held against; without it only what is wrong in itself is found. */
  readonly reference?: Reference;
  /** Milliseconds after which a process counts as hanging; default {@link childTimeoutMsDefault}. */
  readonly timeoutMs?: number;
}

export const childTimeoutMsDefault = 180_000;

export interface CrashTrial extends Judgement {
  readonly processes: number;
  /** The disturbances that met a living run. */
  readonly landed: readonly Disturbance[];
}

/**
 * Runs one run in as many processes as it takes: each but the last is killed as told, the next one resumes what is left.
 * Its record lies in a folder of its own, which is gone afterwards.
 */
export async function crashTrial(options: CrashTrialOptions): Promise<CrashTrial> {
  const { program, subject, store, input, openPlace = folderPlace, outages = {} } = options;
  const { disturbances, seed, reference, timeoutMs = childTimeoutMsDefault } = options;
  await using opened = await openPlace();
  const { place, runId } = opened;
  const reports: ChildReport[] = [];
  const landed: Disturbance[] = [];
  for (const disturbance of [...disturbances, ...Array.from({ length: 1 + lossesMax }, () => undefined)]) {
    const common = { subject, store, input, place, runId, seed: seed + reports.length };
    // An outage is felt by processes after it, too: what is left of its connections ends under them.
    const order: ChildOrder = options.outages === undefined ? common : { ...common, mayLoseStore: true };
    const report = await runChild({ program, timeoutMs, ...disturbed(order, disturbance, outages) });
    reports.push(report);
    if (disturbance !== undefined && met(report)) landed.push(disturbance);
    if (!goesOn(report)) break;
  }
  return { ...judge(reports, reference), processes: reports.length, landed };
}

/** Processes that may find their medium lost after all disturbances of a run. */
const lossesMax = 5;

function disturbed(
  order: ChildOrder,
  disturbance: Disturbance | undefined,
  outages: Readonly<Record<string, () => Promise<void>>>,
) {
  if (disturbance === undefined) return { order };
  if (disturbance.kind === "moment") return { order, moment: disturbance };
  if (disturbance.kind !== "outage") return { order: { ...order, stop: disturbance } };
  const strike = outages[disturbance.outage];
  if (strike === undefined) throw new Error(`there is no outage "${disturbance.outage}"`);
  return { order, moment: disturbance, strike };
}

/** Whether the run is left to the next process. */
function goesOn({ killed, events, problem }: ChildReport): boolean {
  return problem === undefined && (killed || events.some(({ kind }) => kind === "store-lost"));
}

function met({ killed, struck, events }: ChildReport): boolean {
  return killed || struck || events.some(({ kind }) => kind === "interrupted");
}
