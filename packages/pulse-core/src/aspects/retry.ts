import { countProblem, refuse, timeProblem, unknownProblems } from "../option-check.ts";
import { after } from "../run/host.ts";
import { isSkip } from "../run/is-skip.ts";
import type { NodeContext } from "../run/node-context.ts";
import { letGo, releaseFailed } from "../run/place.ts";
import { interruption } from "../run/signals.ts";
import { waitAt } from "../run/wait.ts";
import { WriteSet } from "../run/write-set.ts";
import type { Aspect } from "./aspect.ts";
import { delayOf } from "./backoff.ts";
import type { Backoff } from "./backoff.ts";
import { makeBuiltIn } from "./built-in.ts";
import type { Inner } from "./built-in.ts";

export interface RetryOptions {
  /** How many tries in all, the first one included; a positive integer. Part of a durable run's definition (DUR-5). */
  readonly limit: number;
  /** Milliseconds before the next try; default 0. A resumed run waits anew (CORE-46). */
  readonly delay?: number;
  /** How the delay grows with each failed try; default `"constant"`. */
  readonly backoff?: Backoff;
  /** The fraction of the delay that is left to chance, 0 to 1; `true` is 1, default 0. */
  readonly jitter?: boolean | number;
  /** Whether an error is worth another try; `failed` counts from 1. Default: every business failure is. */
  readonly when?: (error: unknown, failed: number) => boolean;
}

/**
 * Runs what is inside it again when it fails, up to `limit` tries in all (CORE-16). Each try has its own writes (CORE-17)
 * and its own signal. Skips, interruptions and failures of the store are not tried again. The wait between two tries
 * ends at once on cancellation, and holds no place of a limiter.
 */
export function retry(options: RetryOptions): Aspect {
  const { limit, delay = 0, backoff = "constant", when = () => true } = options;
  const jitter = Number(options.jitter ?? 0);
  refuse("retry", [
    ...unknownProblems(options, ["limit", "delay", "backoff", "jitter", "when"]),
    countProblem("limit", limit),
    timeProblem("delay", delay),
    jitter >= 0 && jitter <= 1 ? undefined : `jitter is ${String(jitter)}; give a fraction from 0 to 1`,
    typeof backoff === "function" || ["constant", "exponential"].includes(backoff)
      ? undefined
      : `backoff is ${String(backoff)}; give "constant", "exponential" or a function`,
  ]);
  const plan = { limit, delay, backoff, jitter, when };
  return makeBuiltIn("retry", (level, place, inner) => tries(level, place, inner, plan), { limit });
}

/** Checked options, defaults filled in. */
type Plan = Required<RetryOptions> & { readonly jitter: number };

async function tries(outer: NodeContext, place: number, inner: Inner, plan: Plan): Promise<void> {
  const { tree } = outer.execution;
  for (let index = 1; ; index++) {
    const level = outer.derive(true);
    level.writes = new WriteSet(outer.writes);
    if (tree.checkpoint !== undefined) index = await tree.checkpoint.openTry(level, place, plan.limit);
    level.attempt = index;
    try {
      await inner(level);
      merge(level);
      return;
    } catch (error) {
      // A skip is no failed try: what was written before it stays, so that CORE-42 refuses it as it does without a retry.
      if (isSkip(error) && !outer.aborted) merge(level);
      level.close();
      // Closed: an aspect outside answered for the node already, so nothing more is tried for it.
      if (outer.aborted || outer.closed || tree.checkpoint?.failure !== undefined || isSkip(error)) throw error;
      level.tell({ kind: "attempt-failed", attempt: index, error });
      if (index < plan.limit && !plan.when(error, index)) throw error;
      // With checkpoints the failure is confirmed before anything else happens (CKPT-34).
      await tree.checkpoint?.failTry(level, error);
      if (index >= plan.limit) throw error;
      releaseFailed(outer);
      await pause(outer, delayOf(index, plan, tree.host.random));
    }
  }
}

/** The successful try's writes become those of what is outside (CORE-17). */
function merge(level: NodeContext): void {
  const outer = level.outer as NodeContext;
  const { writes } = level.writes as WriteSet;
  level.close();
  for (const [slot, write] of writes) outer.write(slot, write.state, write.value);
}

/** Waits, without a place, until the delay is over or the level is aborted. */
async function pause(level: NodeContext, delayMs: number): Promise<void> {
  if (level.aborted) throw interruption(level.path, level.reason);
  if (!(delayMs > 0)) return;
  const takeAgain = letGo(level);
  await waitAt(level, (done) => after(level.execution.tree.host, delayMs, done));
  await takeAgain?.();
}
