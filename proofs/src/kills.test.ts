import { crashSweep } from "@pulse-ts/store-testkit";
import type { CrashSweep } from "@pulse-ts/store-testkit";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { bundle } from "./program/bundle.ts";
import { storeNames } from "./program/stores.ts";
import type { StoreName } from "./program/stores.ts";
import { generatedCase, housekeepingCase, jobCase, messagesCase, plansFrom } from "./soak/cases.ts";
import type { NamedCase } from "./soak/cases.ts";
import { openMedium } from "./soak/media.ts";
import type { OpenMedium } from "./soak/media.ts";
import { violationText } from "./soak/report.ts";

/** A small share of `pnpm soak`, another one each time. */
const seed = Number(process.env["PULSE_SEED"] ?? Math.floor(Math.random() * 1_000_000));
const timeout = 300_000;

const program = await bundle("child.ts");
const opened = new Map<StoreName, OpenMedium>();
afterAll(async () => {
  for (const each of opened.values()) await each[Symbol.asyncDispose]();
  await program[Symbol.asyncDispose]();
});

async function mediumOf(name: StoreName): Promise<OpenMedium["medium"]> {
  const found = opened.get(name) ?? (await openMedium(name));
  opened.set(name, found);
  return found.medium;
}

interface Share {
  readonly pointKillsMax: number;
  readonly moments: number;
  readonly outagesEach?: number;
}

/** How much of it for each store: every process of PostgreSQL's takes a connection or two, and many statements. */
const graphs: Readonly<Record<StoreName, number>> = { file: 2, sqlite: 1, postgres: 1 };

async function sweep({ name: _name, ...crashCase }: NamedCase, share: Share): Promise<CrashSweep> {
  return await crashSweep({ ...crashCase, ...share, seed, killsPerPoint: 1 });
}

function expectNothingWrong({ violations }: CrashSweep): void {
  expect(violations.map(violationText)).toEqual([]);
}

describe.each(storeNames)("%s", (store) => {
  beforeEach((context) => {
    if (store === "postgres") needsPostgres(context);
  });

  test(
    `DUR-8 DUR-25 CKPT-19 KIT-2 generated graphs that are killed at fault points and at random moments end as undisturbed ones: no confirmed body runs again, no try is lost or won, nothing acknowledged is gone (PULSE_SEED=${seed})`,
    { timeout },
    async () => {
      for (const plan of await plansFrom(seed, graphs[store])) {
        const crashCase = generatedCase(program, await mediumOf(store), plan);
        const found = await sweep(crashCase, { pointKillsMax: 8, moments: 4 });
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
      await using job = await jobCase(program, await mediumOf(store), seed);
      const found = await sweep(job.case, { pointKillsMax: 6, moments: 4 });
      expectNothingWrong(found);
      expect(found.pointKills).toBeGreaterThanOrEqual(6);
      expect(found.momentKills).toBeGreaterThanOrEqual(4);
    },
  );

  test(
    `DUR-8 STR-21 STR-24 STR-28 REC-14 KIT-2 streams that are killed at fault points and at random moments count each message once: no frontier falls, no budget is refilled, generations rise by one with each resume (PULSE_SEED=${seed})`,
    { timeout },
    async () => {
      for (const mounted of store === "file" ? [false, true] : [true]) {
        const crashCase = messagesCase(program, await mediumOf(store), { messages: 20, mounted });
        const found = await sweep(crashCase, { pointKillsMax: 5, moments: 3 });
        expectNothingWrong(found);
        expect(found.pointKills).toBeGreaterThanOrEqual(5);
        expect(found.momentKills).toBeGreaterThanOrEqual(3);
      }
    },
  );

  test(
    `STORE-10 KIT-2 a process that is killed while it deletes runs and collects contents leaves the other run whole (PULSE_SEED=${seed})`,
    { timeout },
    async () => {
      for (const plan of await plansFrom(seed, 1)) {
        const crashCase = housekeepingCase(program, await mediumOf(store), plan);
        const found = await sweep(crashCase, { pointKillsMax: 8, moments: 0 });
        expectNothingWrong(found);
        expect(found.pointKills).toBeGreaterThanOrEqual(8);
      }
    },
  );
});

describe("postgres", () => {
  beforeEach(needsPostgres);

  test(
    `PG-7 STORE-4 KIT-6 a graph whose connections are cut, and whose server stops at once and starts again, in the middle of commits ends as an undisturbed one after it was resumed (PULSE_SEED=${seed})`,
    { timeout },
    async () => {
      for (const plan of await plansFrom(seed, 1)) {
        const crashCase = generatedCase(program, await mediumOf("postgres"), plan);
        const found = await sweep(crashCase, { pointKillsMax: 0, moments: 0, outagesEach: 2 });
        expectNothingWrong(found);
        expect(Object.keys(found.outagesMet).toSorted()).toEqual(Object.keys(crashCase.outages ?? {}).toSorted());
      }
    },
  );
});
