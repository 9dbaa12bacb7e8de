import { isPulseError } from "@pulse-ts/core";
import type { Store } from "@pulse-ts/durable";
import type { Bench } from "../bench.ts";
import { catalogOf } from "../catalog-of.ts";
import { errorOf, same, shownError, unmet } from "../expectation.ts";
import type { Requirement } from "../requirement.ts";
import { revisionIn } from "../revision-in.ts";
import { sampleRun, saveStep } from "../sample-run.ts";
import type { SampleRun } from "../sample-run.ts";

/** What a medium that fails once leaves behind, at each of the subject's fault points (STORE-4). */
export const failingMedium: readonly Requirement[] = [
  {
    id: "STORE-4.failed-save",
    rule: "STORE-4",
    title: "where the medium fails, a save that resolves is there, one that rejects is there whole or not at all",
    needs: "fault-points",
    checkMs: 300_000,
    check: (bench) =>
      atEachPoint(bench, async (store, run, arm) => {
        const session = await store.acquire(run.runId);
        let acknowledged = 1;
        arm();
        try {
          await saveStep(session, run, 2);
          acknowledged = 2;
        } catch (error) {
          refuseWrongError(error, "a save whose medium failed");
          // Nothing may follow a save of which nobody knows how it ended.
          await errorOf("a refusal", "a save after one that failed", () => saveStep(session, run, 3));
        }
        const released = await succeeds("closing a session whose medium failed", () => session.close());
        return { revisions: acknowledged === 2 ? [2] : [1, 2], released };
      }),
  },
  {
    id: "STORE-4.failed-acquire",
    rule: "STORE-4",
    title: "where the medium fails, an acquire that rejects leaves the run free and as it was",
    needs: "fault-points",
    checkMs: 300_000,
    check: (bench) =>
      atEachPoint(bench, async (store, run, arm) => {
        arm();
        try {
          const session = await store.acquire(run.runId);
          const released = await succeeds("closing a session whose medium failed", () => session.close());
          return { revisions: [1], released };
        } catch (error) {
          refuseWrongError(error, "an acquire whose medium failed");
          return { revisions: [1], released: true };
        }
      }),
  },
  {
    id: "STORE-7.failed-delete",
    rule: "STORE-7",
    title: "where the medium fails, a delete leaves the run whole or gone, and gone if it resolved",
    needs: "fault-points",
    checkMs: 300_000,
    check: (bench) =>
      atEachPoint(bench, async (store, run, arm) => {
        const catalog = catalogOf(store);
        arm();
        const deleted = await succeeds("a delete whose medium failed", () => catalog.delete(run.runId));
        return { revisions: deleted ? [0] : [0, 1], released: true };
      }),
  },
];

interface Outcome {
  /** What may be there now; 0: nothing. */
  readonly revisions: readonly number[];
  /** Whether the run is free. A close that failed may have let it go or not. */
  readonly released: boolean;
}

type Act = (store: Store, run: SampleRun, arm: () => void) => Promise<Outcome>;

/** Does something with a run of one save while the medium fails once, at each of the points that are then reached. */
async function atEachPoint(bench: Bench, act: Act): Promise<void> {
  const reached = new Set<string>();
  await withPoints(bench, "unharmed", act, (point) => reached.add(point));
  const known = new Set(bench.subject.faultPoints);
  const points = [...reached];
  if (points.length === 0) throw unmet("none of the subject's fault points was reached", "some of them");
  for (const point of points) if (!known.has(point)) throw unmet(`the fault point ${point}`, "one of `faultPoints`");
  for (const [at, point] of points.entries()) {
    bench.say(`fault point ${at + 1} of ${points.length}`);
    let failed = false;
    await withPoints(bench, `failing at ${point}`, act, (seen) => {
      if (failed || seen !== point) return;
      failed = true;
      throw Object.assign(new Error(`EIO: i/o error, at the fault point ${point}`), { code: "EIO" });
    });
  }
  bench.say(`the medium failed once at each of ${points.length} fault points`);
}

/** Once from the making of the run to a look at what came of it. `at` is told of the points once the act is armed. */
async function withPoints(bench: Bench, how: string, act: Act, at: (point: string) => void): Promise<void> {
  // Bytes that no other run has: a content that is there already would not be written.
  const run = sampleRun(`run ${how}`, {
    bytesAt: (revision) => new Uint8Array(Buffer.alloc(20_000, `${how} ${revision} `)),
  });
  await makeRun(bench, run);
  let armed = false;
  const store = await bench.open((point) => {
    if (armed) at(point);
  });
  const arm = (): void => {
    armed = true;
  };
  try {
    const outcome = await act(store, run, arm);
    armed = false;
    await bench.shut(store);
    await goesOn(bench, run, outcome);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new Error(`a medium ${how}: ${told}`, { cause: error });
  }
}

async function makeRun(bench: Bench, run: SampleRun): Promise<void> {
  const store = await bench.open();
  const session = await bench.acquire(store, run.runId);
  await saveStep(session, run, 1);
  await session.close();
  await bench.shut(store);
}

/** Whether it did. @throws an Error when it was refused for a reason that it cannot have */
async function succeeds(doing: string, call: () => Promise<void>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    refuseWrongError(error, doing);
    return false;
  }
}

/** The failure of a medium tells of the medium: a conflict would say that nothing was changed, busy that another owns it. */
function refuseWrongError(error: unknown, doing: string): void {
  for (const code of wrongCodes) {
    if (isPulseError(error, code))
      throw unmet(`${doing}: ${shownError(error)}`, "PULSE_STORE, or what the medium threw");
  }
}

const wrongCodes = ["PULSE_BUSY", "PULSE_CONFLICT", "PULSE_NOT_FOUND", "PULSE_USAGE", "PULSE_CORRUPT"] as const;

/** The record is whole and one that may be there, and saves go on from it. */
async function goesOn(bench: Bench, run: SampleRun, { revisions, released }: Outcome): Promise<void> {
  const store = await bench.open();
  if (!released) {
    // Its owner is this process, which lives: only a reader can look.
    const { header } = await catalogOf(store).read(run.runId);
    if (!revisions.includes(header.revision)) throw unmet(`revision ${header.revision}`, revisions.join(" or "));
    await bench.reads(store, run.at(header.revision));
  } else {
    const session = await bench.acquire(store, run.runId);
    const found = await revisionIn(session);
    if (!revisions.includes(found)) throw unmet(`revision ${found}`, revisions.join(" or "));
    if (found > 0) await bench.loads(session, run.at(found));
    await saveStep(session, run, found + 1);
    await bench.loads(session, run.at(found + 1));
    same("the revision after one more save", await revisionIn(session), found + 1);
    await session.close();
  }
  await bench.shut(store);
}
