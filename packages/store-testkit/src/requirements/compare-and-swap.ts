import { headerKey } from "@pulse-ts/durable";
import type { RecordChanges, RunRecord } from "@pulse-ts/durable";
import { refused, same } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { firstChanges, folded, headerOf, put, sampleRun, saveStep, saveSteps } from "../sample-run.ts";

/** Revisions are compared before anything is written (STORE-3). */
export const compareAndSwap: readonly Requirement[] = [
  {
    id: "STORE-3.not-found",
    rule: "STORE-3",
    title: "a run that was never saved is not found",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const error = await refused("PULSE_NOT_FOUND", "loading a run that was never saved", () => session.load());
      same("details.next of PULSE_NOT_FOUND", error.details.next, "start");
    },
  },
  {
    id: "STORE-3.first-save",
    rule: "STORE-3",
    title: "the first save goes from revision 0 to 1, and from no other",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      const second = folded("run", [put(headerKey, headerOf("run", { revision: 2 }))]);
      await refused("PULSE_CONFLICT", "a first save from revision 1", () =>
        session.save({ ...second, header: headerOf("run", { revision: 2 }) }, 1, firstChanges("run", { revision: 2 })),
      );
      await refused("PULSE_NOT_FOUND", "loading after a first save that conflicted", () => session.load());
      await saveStep(session, run, 1);
      await bench.loads(session, run.at(1));
    },
  },
  {
    id: "STORE-3.conflict",
    rule: "STORE-3",
    title: "a save from another revision than the one that stands is a conflict and changes nothing",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      await saveSteps(session, run, 0, 3);
      for (const expected of [0, 1, 2, 4, 7]) {
        const error = await refused("PULSE_CONFLICT", `saving from revision ${expected} where 3 stands`, () =>
          session.save(...bumped(run.at(3), expected)),
        );
        same("details.runId of PULSE_CONFLICT", error.details.runId, "run");
        same("details.next of PULSE_CONFLICT", error.details.next, "resume");
        await bench.loads(session, run.at(3));
      }
    },
  },
  {
    id: "STORE-3.conflict-goes-on",
    rule: "STORE-3",
    title: "after a conflict the session saves on, also for those who open the place anew",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      await saveSteps(session, run, 0, 1);
      await refused("PULSE_CONFLICT", "a first save where revision 1 stands", () => saveStep(session, run, 1));
      await saveSteps(session, run, 1, 3);
      await session.close();
      const again = await bench.acquire(await bench.open(), "run");
      await bench.loads(again, run.at(3));
    },
  },
  {
    id: "STORE-3.misnumbered",
    rule: "STORE-3",
    title: "a next record whose revision is not the expected one plus 1 is a conflict and changes nothing",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      await saveSteps(session, run, 0, 2);
      for (const revision of [0, 1, 2, 4, 3.5, Number.NaN]) {
        const [next, , changes] = bumped(run.at(2), revision - 1);
        await refused("PULSE_CONFLICT", `saving revision ${revision} from revision 2`, () =>
          session.save(next, 2, changes),
        );
        await bench.loads(session, run.at(2));
      }
    },
  },
  {
    id: "STORE-3.run-id",
    rule: "STORE-3",
    title: "a record of another run is a conflict and changes neither run",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      await saveSteps(session, run, 0, 2);
      const stranger = sampleRun("stranger");
      await refused("PULSE_CONFLICT", "saving a record of another run", () =>
        session.save(stranger.at(3), 2, stranger.changesTo(3)),
      );
      await bench.loads(session, run.at(2));
      const other = await bench.acquire(store, "stranger");
      await refused("PULSE_NOT_FOUND", "loading the other run", () => other.load());
      await refused("PULSE_CONFLICT", "a first save with a record of another run", () =>
        other.save(run.at(1), 0, run.changesTo(1)),
      );
      await refused("PULSE_NOT_FOUND", "loading the other run", () => other.load());
    },
  },
  {
    id: "STORE-3.overflow",
    rule: "STORE-3",
    title: "a revision past the whole numbers is a conflict and changes nothing",
    async check(bench) {
      const store = await bench.open();
      const session = await bench.acquire(store, "run");
      const run = sampleRun("run");
      await saveSteps(session, run, 0, 1);
      await refused("PULSE_CONFLICT", "saving from the biggest whole number", () =>
        session.save(...bumped(run.at(1), Number.MAX_SAFE_INTEGER)),
      );
      await bench.loads(session, run.at(1));
    },
  },
];

/** A save that is right in all but the revision it expects. */
function bumped(record: RunRecord, expected: number): [RunRecord, number, RecordChanges] {
  const header = { ...record.header, revision: expected + 1, resumes: 1 };
  return [{ ...record, header }, expected, [put(headerKey, header)]];
}
