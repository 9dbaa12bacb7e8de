import { crashTrial } from "@pulse-ts/store-testkit";
import type { Disturbance, ViolationKind } from "@pulse-ts/store-testkit";
import { afterAll, expect, test } from "vitest";
import { plansFrom } from "../soak/cases.ts";
import { bundle } from "./bundle.ts";
import { mistakes } from "./mistakes.ts";
import type { Mistake } from "./mistakes.ts";

const program = await bundle("child.ts");
afterAll(() => program[Symbol.asyncDispose]());

/** A graph in which a try fails early and others go on: from this seed on. */
const [plan] = await plansFrom(30, 1);
const input = String(plan?.seed);

const point = (name: string, nth: number): Disturbance => ({ kind: "point", point: name, nth });
const kill = {
  inSave: point("store: journal-append half", 6),
  afterSave: point("runtime: save after", 7),
} as const;

/** Where each mistake is met, and what is said of it. */
const found: Readonly<Record<Mistake, { readonly at: Disturbance; readonly kinds: readonly ViolationKind[] }>> = {
  "confirms a save before it is written": { at: kill.inSave, kinds: ["acknowledged-lost"] },
  "writes each save with the one after it": { at: kill.afterSave, kinds: ["acknowledged-lost"] },
  "writes a part of a save": { at: kill.afterSave, kinds: ["acknowledged-lost", "record-differs"] },
  "gives the record before the last save": { at: kill.afterSave, kinds: ["acknowledged-lost"] },
  "forgets the last result": { at: kill.afterSave, kinds: ["acknowledged-lost", "record-differs"] },
  "forgets that a try failed": { at: kill.afterSave, kinds: ["record-differs"] },
};

test.each(mistakes)("KIT-2 STORE-5 REC-25 a store that %s is found", async (mistake) => {
  const { at, kinds } = found[mistake];
  const trial = await crashTrial({ program, subject: "generated", store: mistake, input, disturbances: [at], seed: 1 });
  expect(trial.landed).toEqual([at]);
  expect(kinds).toContain(trial.violations[0]?.kind);
});

test("KIT-2 STORE-5 a good store is not accused, killed at the same points", async () => {
  for (const at of Object.values(kill)) {
    const trial = await crashTrial({
      program,
      subject: "generated",
      store: "file",
      input,
      disturbances: [at],
      seed: 1,
    });
    expect(trial.landed).toEqual([at]);
    expect(trial.violations).toEqual([]);
  }
});
