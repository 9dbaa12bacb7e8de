import { randomInt } from "node:crypto";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach, expect, onTestFailed, test } from "vitest";
import { openBench, saveStatement } from "./testing/bench.ts";
import { runLanes } from "./testing/lanes.ts";
import { cutMoments } from "./testing/link.ts";
import { seededRandom } from "./testing/seeded-random.ts";

beforeEach(needsPostgres);

const seed = Number(process.env["PULSE_SEED"] ?? randomInt(2 ** 31));
/** `PULSE_ROUNDS` disturbances, for those who look for more. */
const rounds = Number(process.env["PULSE_ROUNDS"] ?? 40);

/** Every kind of statement that an owner's store sends. */
const statements = [
  saveStatement,
  /^SELECT .*AS run_revision/,
  /INSERT INTO [^(]+ AS r \(run_id/,
  /owner = NULL/,
  /SKIP LOCKED/,
  /SET holder =/,
  /pg_try_advisory_lock/,
  /./,
];

test(
  "KIT-6 PG-7 runs side by side over a bad connection: what was confirmed stays, the rest is old or new",
  async () => {
    onTestFailed(() => console.error(`PULSE_SEED=${seed}`));
    await using bench = await openBench();
    const { link } = bench;
    const random = seededRandom(seed);
    const pick = <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(random() * items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    };
    const disturbances: readonly (() => void)[] = [
      () => link.cutAll(),
      () => link.refuse(),
      () => link.blackHole(),
      () => link.delay(Math.floor(random() * 10)),
      // It need not come to pass: the runs may end before such a statement comes.
      ...cutMoments.map((moment) => () => void link.cutAt(moment, pick(statements))),
      ...cutMoments.map((moment) => () => void link.cutAt(moment, saveStatement)),
    ];
    const store = bench.open({ leaseMs: 2_000, acquireMs: 2_000, statementMs: 2_000, closeMs: 2_000 });
    const lanes = runLanes(store, { count: 6, saves: rounds * 4 });
    for (let round = 0; round < rounds; round += 1) {
      await lanes.saved(1 + Math.floor(random() * 12));
      pick(disturbances)();
      // Somebody notices: an error, or nothing for a while.
      await new Promise((resolve) => setTimeout(resolve, random() * 50));
      link.restore();
    }
    link.delay(0);
    await lanes.done;
    expect(lanes.failures).toBeGreaterThan(0);
    expect(await bench.openDirect().catalog.count()).toBe(6);
  },
  60_000 + rounds * 2_000,
);
