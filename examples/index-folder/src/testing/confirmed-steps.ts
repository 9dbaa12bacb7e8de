import { isPulseError } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import type { AttemptInspection, ScopeInspection } from "@pulse-ts/durable";
import { readFile } from "node:fs/promises";
import type { BodyRun } from "../run/body-journal.ts";
import { systemCode } from "../problem.ts";
import { openStore } from "../store/open-store.ts";
import { readStorePlace } from "../store/store-place.ts";

/** What the record of a run says, read without owning the run. */
export interface Confirmed {
  readonly status: "running" | "completed" | "failed" | "absent";
  readonly resumes: number;
  /** Paths of the bodies whose results are confirmed. */
  readonly steps: ReadonlySet<string>;
  /** For each node with a retry: `path index/limit state …`, one line each, ascending. */
  readonly budgets: readonly string[];
}

/** `store`: as `--store` takes it. */
export async function confirmedIn(store: string, runId: string): Promise<Confirmed> {
  await using pulse = durable({ store: await openStore(readStorePlace(store), () => {}) });
  try {
    const { status, resumes, root } = await pulse.inspect(runId);
    const steps = new Set<string>();
    const budgets: string[] = [];
    collect(root, steps, budgets);
    return { status, resumes, steps, budgets: budgets.toSorted() };
  } catch (error) {
    if (isPulseError(error, "PULSE_NOT_FOUND")) return { status: "absent", resumes: 0, steps: new Set(), budgets: [] };
    throw error;
  }
}

function collect(scope: ScopeInspection, steps: Set<string>, budgets: string[]): void {
  for (const node of scope.nodes) {
    const children = node.attempts.flatMap(childrenOf);
    if (children.length === 0 && (node.state === "completed" || node.state === "skipped")) steps.add(node.path);
    for (const child of children) collect(child, steps, budgets);
    for (const { attempts } of node.attempts) {
      for (const { index, limit, state } of attempts) budgets.push(`${node.path} ${index}/${limit} ${state}`);
    }
  }
}

const childrenOf = (attempt: AttemptInspection): ScopeInspection[] => [
  ...(attempt.child === undefined ? [] : [attempt.child]),
  ...attempt.attempts.flatMap(childrenOf),
];

/** All body runs that the journal holds, in their order; none when there is no journal yet. */
export async function bodyRuns(traceFile: string): Promise<BodyRun[]> {
  try {
    const lines = (await readFile(traceFile, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line): BodyRun => JSON.parse(line));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** The bodies that ran, after the first `before` entries of the journal, though their results were confirmed by then. */
export async function redoneSince(traceFile: string, before: number, confirmed: Confirmed): Promise<BodyRun[]> {
  return (await bodyRuns(traceFile)).slice(before).filter(({ path }) => confirmed.steps.has(path));
}
