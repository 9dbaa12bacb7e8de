import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { chosenSeed } from "../chosen.ts";
import { runCheck } from "../run-check.ts";
import { importSubject } from "./import-subject.ts";
import { processRequirements } from "./process-requirements.ts";

const seed = chosenSeed(undefined);
const timeout = 240_000;

/** Checks one requirement on a store module of `testing/`. */
async function check(id: string, name: string): Promise<void> {
  const requirement = processRequirements.find((each) => each.id === id);
  if (requirement === undefined) throw new Error(`there is no requirement ${id}`);
  const module = fileURLToPath(new URL(`testing/${name}.ts`, import.meta.url));
  await runCheck(requirement, await importSubject(module), { module, seed, kills: 10 });
}

test.each(processRequirements.map(({ id }) => id))(
  "KIT-2 KIT-3 KIT-7 a store that is right is not accused by %s",
  { timeout },
  async (id) => {
    await expect(check(id, "slots-right")).resolves.toBe(undefined);
  },
);

test("KIT-3 KIT-7 a store that is right and whose lease runs out is not accused", { timeout }, async () => {
  await expect(check("KIT-3.paused", "slots-lease")).resolves.toBe(undefined);
});

const wrong = [
  ["KIT-3.paused", "slots-stale-owner", /paused owner saved|wanted: PULSE_OWNERSHIP_LOST/],
  ["KIT-3.paused", "slots-stale-release", /acquiring after the old owner has closed succeeded; wanted: PULSE_BUSY/],
  ["KIT-2.fault-points", "slots-torn", /but not as it was saved/],
  ["KIT-2.fault-points", "slots-early", /what was acknowledged is lost/],
  ["STORE-5.takeover", "slots-locked", /still PULSE_BUSY/],
  ["KIT-3.race", "slots-two-owners", /processes own one run at once/],
  // What is seen of two owners at once: both of them, a save made twice, or one that is refused.
  ["KIT-3.many-runs", "slots-two-owners", /and each save once|work failed with PULSE_CONFLICT: saving/],
] as const;

test.each(wrong)("KIT-7 %s catches %s", { timeout }, async (id, name, told) => {
  await expect(check(id, name)).rejects.toThrow(told);
});
