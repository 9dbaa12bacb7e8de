import { shown, unmet } from "../expectation.ts";
import type { Bench } from "../bench.ts";
import type { Requirement } from "../requirement.ts";
import { takeoverMsDefault } from "../subject.ts";
import { acquireSoon } from "./acquire-soon.ts";
import { killSweep, takeoverLimitMs } from "./kill-sweep.ts";
import type { KillSweep, KillSweepOptions } from "./kill-sweep.ts";
import { medianOf } from "./median.ts";
import { mixedRun } from "./mixed-run.ts";
import { modulePath } from "./module-path.ts";
import { savedBy } from "./owner-process.ts";
import { processPool } from "./process-pool.ts";

/** Each process has a limit of its own; this is the end of a check of very many kills. */
const sweepMs = 3_600_000;

/**
 * Kills at fault points, for each kill at a random moment, at most. A store with more points than that has others killed
 * each time; who wants all of them in one check asks for more kills.
 */
const pointsPerKill = 4;

/** How often the takeover is measured. */
const takeovers = 5;

/** Processes are killed with SIGKILL, and what they had been told is there (KIT-2, STORE-4, STORE-5). */
export const killRequirements: readonly Requirement[] = [
  {
    id: "STORE-5.takeover",
    rule: "STORE-5",
    title: "the runs of a process that was killed by SIGKILL can be taken over, with all that it had saved",
    needs: "module",
    checkMs: 300_000,
    check: takeover,
  },
  {
    id: "KIT-2.fault-points",
    rule: "KIT-2",
    title: "after SIGKILL at any fault point nothing acknowledged is lost and nothing is half there",
    needs: "module",
    checkMs: sweepMs,
    check: async (bench) =>
      await sweep(bench, { killsPerPoint: 1, pointKillsMax: pointsPerKill * bench.kills, moments: 0 }),
  },
  {
    id: "KIT-2.random-moments",
    rule: "KIT-2",
    title: "after SIGKILL at random moments nothing acknowledged is lost and nothing is half there",
    needs: "module",
    checkMs: sweepMs,
    check: async (bench) => await sweep(bench, { killsPerPoint: 0, moments: bench.kills }),
  },
];

async function sweep(
  bench: Bench,
  kills: Pick<KillSweepOptions, "killsPerPoint" | "pointKillsMax" | "moments">,
): Promise<void> {
  const { subject, place, seed, signal } = bench;
  const say = (progress: string): void => bench.say(progress);
  const found = await killSweep({ module: modulePath(bench), subject, place, seed, signal, say, ...kills });
  bench.say(summaryOf(found));
  const [violation] = found.violations;
  if (violation === undefined) return;
  const ends = violation.ends.map((end) => (end === undefined ? "not at all" : JSON.stringify(end))).join(", then ");
  const seen = `${violation.message} (in process ${violation.life}; killed: ${ends})`;
  throw unmet(seen, "every record as its acknowledged saves made it, with or without the one save in flight, whole");
}

/** What a sweep did, in one line. */
export function summaryOf({ processes, killsByPoint, momentKills, pointsNotReached, takeoversMs }: KillSweep): string {
  const pointKills = Object.values(killsByPoint).reduce((sum, kills) => sum + kills, 0);
  const left = pointsNotReached.length === 0 ? "" : `; fault points not reached: ${pointsNotReached.join(", ")}`;
  const first =
    takeoversMs.length === 0 ? "" : `, ${Math.round(medianOf(takeoversMs))} ms (median) to open and take over`;
  return `${processes} processes, killed at ${pointKills} fault points and ${momentKills} random moments${first}${left}`;
}

async function takeover(bench: Bench): Promise<void> {
  const { subject, place, seed, signal } = bench;
  const msMax = takeoverLimitMs(subject);
  const store = await bench.open();
  const times: number[] = [];
  await using pool = processPool(modulePath(bench), signal);
  for (let round = 0; round < takeovers; round += 1) {
    const run = mixedRun(`taken ${round}`, seed);
    const { runId } = run;
    const owner = await pool.take();
    owner.order({ kind: "open", place, seed, busyMsMax: msMax });
    owner.order({ kind: "acquire", runId });
    await owner.next("acquired");
    owner.order({ kind: "save", runId, saves: 4 });
    await owner.next("loaded");
    for (let save = 0; save < 4; save += 1) await savedBy(owner);
    await owner.kill();
    const { session, ms } = await acquireSoon(store, runId, { msMax, signal }).catch((error: unknown) => {
      throw unmet(
        shown(error),
        `acquired at the latest some ${subject.takeoverMs ?? takeoverMsDefault} ms after the kill`,
      );
    });
    times.push(ms);
    await bench.loads(session, run.at(4));
    await session.save(run.at(5), 4, run.changesTo(5));
    await bench.loads(session, run.at(5));
    await session.close();
  }
  bench.say(
    `taken over after ${Math.round(medianOf(times))} ms (median of ${times.length}, at most ${Math.round(Math.max(...times))} ms)`,
  );
}
