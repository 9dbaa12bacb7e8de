import fc from "fast-check";
import { expect, test } from "vitest";
import { execution, isPulseError, run } from "../index.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { deeds, expectedOf, graphOf, plansOf, type Plan } from "../testing/random-graph.ts";

/** fast-check prints the seed and the smallest case that fails; give both to `fc.assert` to see it again. */
const runs = 300;

const harmless = deeds.filter((deed) => deed !== "fail");

test("CORE-36 CORE-6 CORE-7 CORE-8 CORE-17 random graphs without a failure give what the model says", async () => {
  await fc.assert(
    fc.asyncProperty(plansOf(14, harmless), fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }), async (plans, places) => {
      const { fates } = expectedOf(plans);
      const outcome = await run(graphOf(plans), {}, places === undefined ? {} : { concurrency: places });
      expect(outcome.outputs).toEqual(Object.fromEntries(fates.map((fate, index) => [`k${index}`, fate])));
    }),
    { numRuns: runs },
  );
});

test("CORE-11 CORE-37 CORE-43 random graphs with failures reject with the first failure, and nothing starts after it", async () => {
  await fc.assert(
    fc.asyncProperty(plansOf(14), async (plans) => {
      const { failing } = expectedOf(plans);
      const log = eventLog();
      let failed = false;
      const late: number[] = [];
      const built = graphOf(plans, (index) => void (failed && late.push(index)));
      const watch = (event: { kind: string; reason?: unknown }): void => {
        failed ||= event.kind === "node-finished" && event.reason === "failed";
      };
      const error = await run(built, {}, { observers: [watch, log.observer] }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (failing.length === 0) expect(error).toBeUndefined();
      else {
        if (!isPulseError(error, "PULSE_EXECUTION_FAILED")) throw error;
        const names = [error.cause, ...error.details.others].map((each) => (each as Error).message);
        expect(failing.map((index) => `n${index}`)).toContain(names[0]);
        expect(error.details.path).toBe(names[0]);
        expect(new Set(names).size).toBe(names.length);
      }
      expect(late).toEqual([]);
      const finished = plans.map((_plan, index) => log.reasonOf(`n${index}`));
      expect(finished).not.toContain(undefined);
    }),
    { numRuns: runs },
  );
});

/** The end of a run in a word: its outputs, or the path of its failure. */
async function endOf(plans: readonly Plan[], seed: number, concurrency?: number): Promise<unknown> {
  const host = fakeHost({ seed, shuffled: true });
  const handle = execution(graphOf(plans), {}, { host, ...(concurrency === undefined ? {} : { concurrency }) });
  handle.start();
  return handle.wait().then(
    ({ outputs }) => outputs,
    (error: unknown) => (isPulseError(error, "PULSE_EXECUTION_FAILED") ? "failed" : error),
  );
}

test("CORE-40 CORE-36 random ready orders give the same outcome", async () => {
  await fc.assert(
    fc.asyncProperty(plansOf(12), fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), async (plans, seeds) => {
      const ends = await Promise.all([...seeds.map((seed) => endOf(plans, seed)), endOf(plans, 1, 1), endOf(plans, 2, 3)]);
      for (const end of ends) expect(end).toEqual(ends[0]);
    }),
    { numRuns: runs },
  );
});
