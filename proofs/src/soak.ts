// pnpm soak: kills the main job, streams and generated graphs at every fault point and at random moments, and looks whether each
// run ends as an undisturbed one. For people; CI runs a small share of it among the tests.
import { parseArgs } from "node:util";
import { crashSweep } from "@pulse-ts/store-testkit";
import { bundle } from "./program/bundle.ts";
import { storeNames } from "./program/stores.ts";
import { generatedCase, housekeepingCase, jobCase, messagesCase, plansFrom } from "./soak/cases.ts";
import type { NamedCase } from "./soak/cases.ts";
import { openMedium } from "./soak/media.ts";
import { pointLines, table, violationText } from "./soak/report.ts";
import type { NamedSweep } from "./soak/report.ts";

const usage = `pnpm soak [options]
  --graphs N            generated graphs; default 50
  --kills N             kills at random moments, for the main job and for all graphs together; default 300
  --points N            kills at each fault point of each subject; default 1
  --minutes N           ends after this time, with what was done by then; default: no limit
  --seed N              the first graph's seed, and what chooses the kills; printed
  --store NAME          file, sqlite or postgres; default file. For PostgreSQL a server is started, which also has its
                        connections cut and is stopped and started again
  --outages N           of each of these so many, for the main job and for all graphs together; default 25
  --only job|graphs|streams
                        one of them only
  --messages N          how many messages each run of streams has; default 60
  --lanes N             processes at once; default 2`;

/** A line of progress after so many runs of one subject. */
const progressRuns = 50;

const { values } = parseArgs({
  options: {
    graphs: { type: "string", default: "50" },
    kills: { type: "string", default: "300" },
    points: { type: "string", default: "1" },
    minutes: { type: "string" },
    seed: { type: "string" },
    store: { type: "string", default: "file" },
    outages: { type: "string", default: "25" },
    only: { type: "string" },
    messages: { type: "string", default: "60" },
    lanes: { type: "string", default: "2" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await soak();

async function soak(): Promise<number> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const lanes = Number(values.lanes);
  const until = values.minutes === undefined ? Infinity : Date.now() + Number(values.minutes) * 60_000;
  console.error(`seed ${seed}`);
  const store = storeNames.find((name) => name === values.store);
  if (store === undefined) throw new Error(`--store ${values.store} is none of ${storeNames.join(", ")}`);
  await using program = await bundle("child.ts");
  await using opened = await openMedium(store);
  const { medium } = opened;
  await using job = await jobCase(program, medium, seed);
  const plans = await plansFrom(seed, Number(values.graphs));
  const graphs = plans.map((plan) => generatedCase(program, medium, plan));
  const keeping = plans.slice(0, 1).map((plan) => housekeepingCase(program, medium, plan));
  const messages = Number(values.messages);
  const streams = [false, true].map((mounted) => messagesCase(program, medium, { messages, mounted }));
  const wanted = (name: string): boolean => values.only === undefined || values.only === name;
  const cases = [
    ...(wanted("job") ? [job.case] : []),
    ...(wanted("streams") ? streams : []),
    ...(wanted("graphs") ? [...keeping, ...graphs] : []),
  ];
  const kills = Number(values.kills);
  const outages = Number(values.outages);
  const sweeps: NamedSweep[] = [];
  const waiting = [...cases.entries()];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [number, crashCase] = next;
      const at = graphs.indexOf(crashCase);
      // The main job gets as many as all graphs together, and so do streams.
      const part = (total: number): number => {
        if (crashCase === job.case) return total;
        const ofStreams = streams.indexOf(crashCase);
        return ofStreams < 0 ? share(total, Math.max(at, 0), graphs.length) : share(total, ofStreams, streams.length);
      };
      const shares = { moments: part(kills), outagesEach: part(outages) };
      sweeps.push(await sweepOf(crashCase, { seed: seed + number, until, ...shares }));
      console.error(`${sweeps.length}/${cases.length} ${line(sweeps.at(-1))}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  console.log([`\nseed ${seed}\n`, table(sweeps), "", ...pointLines(store, sweeps)].join("\n"));
  return sweeps.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

interface SweepShare {
  readonly seed: number;
  readonly moments: number;
  readonly outagesEach: number;
  readonly until: number;
}

async function sweepOf({ name, ...crashCase }: NamedCase, { until, ...shares }: SweepShare): Promise<NamedSweep> {
  let runs = 0;
  let landed = 0;
  const sweep = await crashSweep({
    ...crashCase,
    onTrial: (trial) => {
      runs += 1;
      landed += trial.landed.length;
      if (runs % progressRuns === 0) console.error(`  ${name}: ${runs} runs, ${landed} kills so far`);
    },
    ...shares,
    killsPerPoint: Number(values.points),
    goOn: () => Date.now() < until,
  });
  for (const violation of sweep.violations) console.log(`${name}: ${violationText(violation)}`);
  return { ...sweep, name };
}

/** The part of `total` that falls to the `at`-th of `count`. */
function share(total: number, at: number, count: number): number {
  return Math.floor((total * (at + 1)) / count) - Math.floor((total * at) / count);
}

function line(sweep: NamedSweep | undefined): string {
  if (sweep === undefined) return "";
  const { name, runs, pointKills, momentKills, outagesMet, pointsMissed, violations } = sweep;
  const missed = pointsMissed.length === 0 ? "" : `, missed ${pointsMissed.join(", ")}`;
  const outages = Object.entries(outagesMet).map(([outage, times]) => `, ${times} times ${outage}`);
  return `${name}: ${runs} runs, ${pointKills} + ${momentKills} kills${outages.join("")}, ${violations.length} violations${missed}`;
}
