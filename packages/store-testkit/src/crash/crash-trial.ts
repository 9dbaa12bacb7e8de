import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildOrder, ChildStop } from "./child-order.ts";
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
}

/** How one process of a run is ended: by itself at a fault point, by its host's cancelling, or by `kill -9` from outside. */
export type Disturbance = ChildStop | ({ readonly kind: "moment" } & KillMoment);

export interface CrashTrialOptions extends CrashCase {
  /** One after the other, each in a process of its own; after them the run goes on to its end. */
  readonly disturbances: readonly Disturbance[];
  readonly seed: number;
  /** What the run is held against; without it only what is wrong in itself is found. */
  readonly reference?: Reference;
  /** Milliseconds after which a process counts as hanging; default {@link childTimeoutMsDefault}. */
  readonly timeoutMs?: number;
}

export const childTimeoutMsDefault = 60_000;

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
  const { program, subject, store, input, disturbances, seed, reference, timeoutMs = childTimeoutMsDefault } = options;
  const folder = await mkdtemp(join(tmpdir(), "pulse-crash-"));
  const reports: ChildReport[] = [];
  const landed: Disturbance[] = [];
  try {
    for (const disturbance of [...disturbances, undefined]) {
      const order: ChildOrder = { subject, store, input, folder, runId: "crash", seed: seed + reports.length };
      const report = await runChild({ program, timeoutMs, ...disturbed(order, disturbance) });
      reports.push(report);
      if (disturbance !== undefined && met(report)) landed.push(disturbance);
      if (!report.killed || report.problem !== undefined) break;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return { ...judge(reports, reference), processes: reports.length, landed };
}

function disturbed(order: ChildOrder, disturbance: Disturbance | undefined) {
  if (disturbance === undefined) return { order };
  return disturbance.kind === "moment" ? { order, moment: disturbance } : { order: { ...order, stop: disturbance } };
}

function met({ killed, events }: ChildReport): boolean {
  return killed || events.some(({ kind }) => kind === "interrupted");
}
