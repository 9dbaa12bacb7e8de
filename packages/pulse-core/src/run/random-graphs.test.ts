import fc from "fast-check";
import { expect, test } from "vitest";
import { checkpoint } from "../checkpoint/index.ts";
import { execution, isPulseError, run, type ExecutionOptions } from "../index.ts";
import { turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { memoryHooks } from "../testing/memory-hooks.ts";
import { deeds, expectedOf, graphOf, plansOf, type Plan } from "../testing/random-graph.ts";

/** fast-check prints the seed and the smallest case that fails; give both to `fc.assert` to see it again. */
const runs = 300;

const harmless = deeds.filter((deed) => deed !== "fail");

test("CORE-36 CORE-6 CORE-7 CORE-8 CORE-17 random graphs without a failure give what the model says", async () => {
  await fc.assert(
    fc.asyncProperty(
      plansOf(14, harmless),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      async (plans, places) => {
        const { fates } = expectedOf(plans);
        const outcome = await run(graphOf(plans), {}, places === undefined ? {} : { concurrency: places });
        expect(outcome.outputs).toEqual(Object.fromEntries(fates.map((fate, index) => [`k${index}`, fate])));
      },
    ),
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

/** The end of a run: its outputs, or that it failed. */
async function endOf(plans: readonly Plan[], seed: number, options: ExecutionOptions = {}): Promise<unknown> {
  const handle = execution(graphOf(plans), {}, { host: fakeHost({ seed, shuffled: true }), ...options });
  handle.start();
  return handle.wait().then(
    ({ outputs }) => outputs,
    (error: unknown) => (isPulseError(error, "PULSE_EXECUTION_FAILED") ? "failed" : error),
  );
}

test("CORE-40 CORE-36 random ready orders, caps and checkpoints give the same outcome", async () => {
  await fc.assert(
    fc.asyncProperty(plansOf(12), fc.array(fc.nat(), { minLength: 3, maxLength: 3 }), async (plans, seeds) => {
      const reliable = (): ExecutionOptions => ({ checkpoint: checkpoint({ scope: "root", hooks: memoryHooks() }) });
      const ends = await Promise.all([
        ...seeds.flatMap((seed) => [endOf(plans, seed), endOf(plans, seed, reliable())]),
        endOf(plans, 1, { concurrency: 1 }),
        endOf(plans, 2, { concurrency: 3 }),
        endOf(plans, 3, { concurrency: 1, ...reliable() }),
      ]);
      for (const end of ends) expect(end).toEqual(ends[0]);
    }),
    { numRuns: runs },
  );
});

test("CORE-30 CORE-38 CORE-12 a cancellation at any moment ends the run: nothing starts later, each node finishes once", async () => {
  await fc.assert(
    fc.asyncProperty(
      plansOf(12, harmless),
      fc.nat({ max: 6 }),
      fc.nat({ max: 5 }),
      fc.boolean(),
      async (plans, turns, ticks, reliable) => {
        const host = fakeHost();
        const log = eventLog();
        let canceled = false;
        const late: number[] = [];
        const built = graphOf(plans, (index) => void (canceled && late.push(index)));
        const options = reliable ? { checkpoint: checkpoint({ scope: "root", hooks: memoryHooks() }) } : {};
        const handle = execution(built, {}, { host, observers: [log.observer], ...options });
        handle.start();
        for (let count = 0; count < turns; count++) await turn();
        for (let count = 0; count < ticks; count++) await Promise.resolve();
        const over = handle.snapshot().state === "completed";
        handle.cancel("enough");
        canceled = true;
        const end = await handle.wait().then(
          () => "completed",
          (error: unknown) => (isPulseError(error, "PULSE_INTERRUPTED") ? error.cause : error),
        );
        expect(end).toBe(over ? "completed" : "enough");
        expect(late).toEqual([]);
        expect(plans.map((_plan, index) => log.reasonOf(`n${index}`))).not.toContain(undefined);
        expect(host.armed).toBe(0);
      },
    ),
    { numRuns: runs },
  );
});
