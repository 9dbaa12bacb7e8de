import { expect, test } from "vitest";
import { openPlace } from "./testing/place.ts";
import type { Place } from "./testing/place.ts";
import { sample } from "./testing/sample-run.ts";

/** Pages in the write-ahead log: each costs the log its own size and 24 bytes. */
const pagesInLog = (place: Place): number => {
  const [state] = place.raw().pragma("wal_checkpoint(NOOP)") as readonly { readonly log: number }[];
  return state?.log ?? 0;
};

const saves = 100;

/** Pages that so many saves write to the log, in a run that has this many nodes already. */
async function pagesOfSaves(nodes: number): Promise<number> {
  await using place = await openPlace();
  // Values of a kibibyte, and ids of which none is behind the one before.
  const run = sample("order", { bytesAt: (revision) => new Uint8Array(Buffer.alloc(1024, `${revision} `)) });
  const session = await place.open().acquire("order");
  const before = Array.from({ length: nodes }, (_, at) => run.changesTo(at + 1)).flat();
  await session.save(run.at(1), 0, before);
  place.raw().pragma("wal_checkpoint(TRUNCATE)");
  for (let save = 1; save <= saves; save += 1) {
    const { header } = run.at(1);
    const next = { ...run.at(1), header: { ...header, revision: save + 1 } };
    await session.save(next, save, run.changesTo(nodes + save));
  }
  return pagesInLog(place);
}

test("REC-24 what a save writes to the log does not grow with the run's length", { timeout: 120_000 }, async () => {
  const [short, long] = [await pagesOfSaves(10), await pagesOfSaves(10_000)];
  expect(short / saves).toBeLessThan(4);
  expect(long / saves).toBeLessThan(4);
  expect(Math.abs(long - short)).toBeLessThan(saves * 0.2);
});
