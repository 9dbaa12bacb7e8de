import { crashSweep } from "@pulse-ts/store-testkit";
import type { CrashSweep } from "@pulse-ts/store-testkit";
import { afterAll, expect, test } from "vitest";
import { bundle } from "./program/bundle.ts";
import { generatedCase, housekeepingCase, jobCase, plansFrom } from "./soak/cases.ts";
import type { NamedCase } from "./soak/cases.ts";
import { violationText } from "./soak/report.ts";

/** A small share of `pnpm soak`, another one each time. */
const seed = Number(process.env["PULSE_SEED"] ?? Math.floor(Math.random() * 1_000_000));
const timeout = 300_000;

const program = await bundle("child.ts");
afterAll(() => program[Symbol.asyncDispose]());

interface Share {
  readonly pointKillsMax: number;
  readonly moments: number;
}

async function sweep({ name: _name, ...crashCase }: NamedCase, share: Share): Promise<CrashSweep> {
  return await crashSweep({ ...crashCase, ...share, seed, killsPerPoint: 1 });
}

function expectNothingWrong({ violations }: CrashSweep): void {
  expect(violations.map(violationText)).toEqual([]);
}

test(
  `DUR-8 DUR-25 CKPT-19 KIT-2 generated graphs that are killed at fault points and at random moments end as undisturbed ones: no confirmed body runs again, no try is lost or won, nothing acknowledged is gone (PULSE_SEED=${seed})`,
  { timeout },
  async () => {
    for (const plan of await plansFrom(seed, 2)) {
      const found = await sweep(generatedCase(program, plan), { pointKillsMax: 8, moments: 4 });
      expectNothingWrong(found);
      expect(found.pointKills).toBeGreaterThanOrEqual(8);
      expect(found.momentKills).toBeGreaterThanOrEqual(4);
    }
  },
);

test(
  `DUR-8 DUR-3 KIT-2 the main job that is killed at fault points and at random moments makes the same report (PULSE_SEED=${seed})`,
  { timeout },
  async () => {
    await using job = await jobCase(program, seed);
    const found = await sweep(job.case, { pointKillsMax: 6, moments: 4 });
    expectNothingWrong(found);
    expect(found.pointKills).toBeGreaterThanOrEqual(6);
    expect(found.momentKills).toBeGreaterThanOrEqual(4);
  },
);

test(
  `STORE-10 KIT-2 a process that is killed while it deletes runs and collects contents leaves the other run whole (PULSE_SEED=${seed})`,
  { timeout },
  async () => {
    for (const plan of await plansFrom(seed, 1)) {
      const found = await sweep(housekeepingCase(program, plan), { pointKillsMax: 8, moments: 0 });
      expectNothingWrong(found);
      expect(found.pointKills).toBeGreaterThanOrEqual(8);
    }
  },
);
