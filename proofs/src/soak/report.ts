import type { CrashSweep, SweepViolation } from "@pulse-ts/store-testkit";
import { durableFaultPoints } from "@pulse-ts/durable/testing";
import { fileFaultPoints } from "@pulse-ts/filestore/testing";
import { pgFaultPoints } from "@pulse-ts/pgstore/testing";
import { sqliteFaultPoints } from "@pulse-ts/sqlite-store/testing";
import type { StoreName } from "../program/stores.ts";

export interface NamedSweep extends CrashSweep {
  readonly name: string;
}

const storeFaultPoints: Readonly<Record<StoreName, readonly string[]>> = {
  file: fileFaultPoints,
  sqlite: sqliteFaultPoints,
  postgres: pgFaultPoints,
};

/** Every fault point that there is with a store, as the reports of processes name them. */
const faultPointsOf = (store: StoreName): readonly string[] => [
  ...storeFaultPoints[store].map((point) => `store: ${point}`),
  ...durableFaultPoints.map((point) => `runtime: ${point}`),
];

const columns = ["runs", "processes", "pointKills", "momentKills", "cancels"] as const;

/** The figures as a Markdown table: the main job by itself, generated graphs together. */
export function table(sweeps: readonly NamedSweep[]): string {
  const jobs = sweeps.filter(({ name }) => !name.startsWith("graph "));
  const graphs = sweeps.filter(({ name }) => name.startsWith("graph "));
  const rows = [
    ...jobs.map((sweep) => row(sweep.name, [sweep])),
    ...(graphs.length === 0 ? [] : [row(`${graphs.length} generated graphs`, graphs)]),
    row("all", sweeps),
  ];
  return [
    "| subject | runs | processes | kills at fault points | kills at random moments | interruptions | outages | resumes | violations |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

function row(name: string, sweeps: readonly CrashSweep[]): string {
  const [runs, processes, ...kills] = columns.map((column) => sumOf(sweeps.map((sweep) => sweep[column])));
  // Each process after a run's first one resumes it; so does a process that was interrupted.
  const resumes = (processes ?? 0) - (runs ?? 0) + sumOf(sweeps.map(({ cancels }) => cancels));
  const outages = sumOf(sweeps.flatMap(({ outagesMet }) => Object.values(outagesMet)));
  const violations = sumOf(sweeps.map((sweep) => sweep.violations.length));
  return `| ${[name, runs, processes, ...kills, outages, resumes, violations].join(" | ")} |`;
}

/** Which fault points killed a run, and which none could. */
export function pointLines(store: StoreName, sweeps: readonly CrashSweep[]): readonly string[] {
  const allFaultPoints = faultPointsOf(store);
  const met = new Set(sweeps.flatMap(({ killsByPoint }) => Object.keys(killsByPoint)));
  const left = allFaultPoints.filter((point) => !met.has(point));
  return [
    `Fault points that killed a run: ${met.size} of ${allFaultPoints.length}.`,
    ...(left.length === 0 ? [] : [`Not reached by any run: ${left.join(", ")}.`]),
  ];
}

/** What it takes to see a violation again. */
export function violationText({ kind, rule, message, process, input, seed, disturbances }: SweepViolation): string {
  return [
    `VIOLATION ${kind} (${rule}) in process ${process + 1}: ${message}`,
    `  input ${input}, seed ${seed}, killed by ${JSON.stringify(disturbances)}`,
  ].join("\n");
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
