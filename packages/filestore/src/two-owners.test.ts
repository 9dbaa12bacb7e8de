import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { stoppedAt } from "./fault-points.ts";
import type { Moment } from "./fault-points.ts";
import { openFileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import type { Step } from "./steps.ts";
import { expectRecord } from "./testing/expect-record.ts";
import { fakeProcesses, openPlace, saveUpTo } from "./testing/place.ts";
import { childHistory } from "./testing/spawn.ts";

const runId = "order";
/** Every third value is a content, so the old owner is stopped in contents and folds as well as in saves. */
const history = childHistory(runId, "mixed");
const saves = 6;

/** One round: the old owner is stopped at this change, robbed, and goes on. Gives the changes that it began. */
async function round(number: number, moment: Moment): Promise<readonly Step[]> {
  await using place = await openPlace("fast");
  const options = { ...place, foldBytesMin: 1_200 };
  const processes = fakeProcesses();
  const begun: Step[] = [];
  let robbed: { readonly found: number; readonly last: number } | undefined;
  const newOwner = openFileStore(options, processes.parts(2));
  const rob = async (): Promise<void> => {
    for (const name of await readdir(join(place.folder, "locks")))
      await utimes(join(place.folder, "locks", name), 1, 1);
    const session = await newOwner.acquire(runId);
    const found = (await session.load()).header.revision;
    await saveUpTo(session, history, found, found + 3);
    // A collection in that very moment may take what only the old owner was about to name.
    await newOwner.collect({ windowMs: 0 });
    await session.close();
    robbed = { found, last: found + 3 };
  };
  const platform = stoppedAt(realPlatform, async (now, change) => {
    if (now === "before") begun.push(change.step);
    if (now === moment && change.number === number) await rob();
  });
  const session = await openFileStore(options, { ...processes.strangerParts(1), platform, roomFrom: 0 }).acquire(runId);
  let acknowledged = 0;
  let error: unknown;
  try {
    for (; acknowledged < saves; acknowledged += 1) await saveUpTo(session, history, acknowledged, acknowledged + 1);
  } catch (caught) {
    error = caught;
  }
  await session.close();
  if (robbed === undefined) {
    expect(error).toBe(undefined);
    return begun;
  }
  expect(acknowledged).toBeLessThanOrEqual(robbed.found);
  if (acknowledged < saves && !isPulseError(error, "PULSE_OWNERSHIP_LOST")) throw error;
  await expectRecord(newOwner, await newOwner.catalog.read(runId), history.at(robbed.last));
  await newOwner.collect({ windowMs: 0 });
  const next = await newOwner.acquire(runId);
  await expectRecord(newOwner, await next.load(), history.at(robbed.last));
  await next.close();
  return begun;
}

test(
  "STORE-6 STORE-8 FILE-4 an owner that is robbed while it is stopped at any change of a save, a content or a fold saves nothing more",
  { timeout: 240_000 },
  async () => {
    const changes = await round(-1, "before");
    expect(changes).toEqual(
      expect.arrayContaining(["content-publish", "snapshot-publish", "old-file-remove", "journal-extend"]),
    );
    // Before the first save there is nothing to be robbed of.
    const first = changes.indexOf("journal-sync") + 1;
    expect(first).toBeGreaterThan(0);
    for (let from = first; from < changes.length; from += 6) {
      const numbers = changes.slice(from, from + 6).map((_step, at) => from + at);
      await Promise.all(numbers.flatMap((number) => [round(number, "before"), round(number, "after")]));
    }
  },
);
