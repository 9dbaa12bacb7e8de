import { describe, expect, test } from "vitest";
import { chosenSeed } from "./chosen.ts";
import { requirements } from "./requirements.ts";
import { runCheck } from "./run-check.ts";
import { mistakes } from "./testing/mistakes/all-mistakes.ts";
import { shelfSubject } from "./testing/mistakes/mistake.ts";

const run = { seed: chosenSeed(undefined), kills: 1 };
/** What takes more than one process is tested with stores of its own, beside the process requirements. */
const inOneProcess = requirements.filter(({ needs }) => needs !== "module");

describe("KIT-7 a store that", () => {
  for (const { does, caughtBy, subject } of mistakes) {
    for (const id of caughtBy) {
      test(`${does} is caught by ${id}`, async () => {
        const requirement = requirements.find((each) => each.id === id);
        if (requirement === undefined) throw new Error(`there is no requirement ${id}`);
        const error = await runCheck(requirement, subject, run).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(Error);
        expect(String(error)).toMatch(new RegExp(`^Error: ${id.replace(".", "\\.")}: .*\\n  .*seen: [^]*; wanted: `));
      });
    }
  }
});

test("KIT-7 every requirement catches some mistake", () => {
  const catching = new Set(mistakes.flatMap(({ caughtBy }) => caughtBy));
  expect(inOneProcess.map(({ id }) => id).filter((id) => !catching.has(id))).toEqual([]);
});

test.each(inOneProcess.map(({ id }) => id))("KIT-7 a store without a mistake passes %s", async (id) => {
  const requirement = requirements.find((each) => each.id === id);
  if (requirement === undefined) throw new Error(`there is no requirement ${id}`);
  await expect(runCheck(requirement, shelfSubject("a shelf"), run)).resolves.toBeUndefined();
});
