import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { stoppedAt } from "./fault-points.ts";
import type { AtMoment, Moment } from "./fault-points.ts";
import { fileStore, openFileStore } from "./open.ts";
import type { FileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import { steps } from "./steps.ts";
import type { Operation, Step } from "./steps.ts";
import { bigValue } from "./testing/big-values.ts";
import { expectRecord } from "./testing/expect-record.ts";
import { systemError } from "./testing/faults.ts";
import { loadOrNothing, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

/** Small values and contents in turn, so that a failure meets both, and folds. */
const history = historyOf("order", {
  bytesAt: (revision) => bigValue("order", revision, revision % 3 === 2 ? 17_000 : 24),
  nodesMax: 3,
});
const saves = 5;
const foldBytesMin = 1_200;

const naming: readonly Operation[] = ["createFile", "link", "makeFolder", "makeNewFolder"];
const everyChangeOfNames: readonly Operation[] = [...naming, "rename", "unlink", "removeFolder", "touch"];
const syncing: readonly Operation[] = ["sync", "syncFolder"];

/** What each cause does to a disk: a full one takes half of a write, a read-only one nothing at all. */
const causes: Readonly<Record<string, { readonly word: string; readonly before: readonly Operation[] }>> = {
  ENOSPC: { word: "disk is full", before: naming },
  EROFS: { word: "read-only", before: [...everyChangeOfNames, ...syncing, "write"] },
  EACCES: { word: "permission", before: everyChangeOfNames },
  EIO: { word: "disk reported an error", before: syncing },
};
const cuttingWrites = new Set(["ENOSPC", "EIO"]);

interface Cause {
  readonly at: AtMoment;
  /** The changes that were begun. */
  readonly steps: readonly Step[];
  gone(): void;
}

/** Everything fails that this cause makes fail, from the change of this number on until the cause is gone. */
function failing(code: string, from: number): Cause {
  let over = false;
  const begun: Step[] = [];
  const fails = (moment: Moment, operation: Operation): boolean =>
    moment === "half"
      ? cuttingWrites.has(code)
      : moment === "before" && (causes[code]?.before.includes(operation) ?? false);
  return {
    at(moment, { step, number }) {
      if (moment === "before") begun.push(step);
      if (!over && number >= from && fails(moment, steps[step])) throw systemError(code);
    },
    steps: begun,
    gone: () => (over = true),
  };
}

interface Work {
  readonly session?: Session;
  readonly acknowledged: number;
  readonly error?: unknown;
}

async function work(store: FileStore): Promise<Work> {
  let session: Session | undefined;
  let acknowledged = 0;
  try {
    session = await store.acquire("order");
    for (; acknowledged < saves; acknowledged += 1) await saveUpTo(session, history, acknowledged, acknowledged + 1);
    return { session, acknowledged };
  } catch (error) {
    return { ...(session === undefined ? {} : { session }), acknowledged, error };
  }
}

test.each(Object.keys(causes))(
  "FILE-6 KIT-6 STORE-8 %s from any change on: an error that says so, a whole record, and a resume that works when the cause is gone",
  { timeout: 240_000 },
  async (code) => {
    const { steps: changes } = await round(code, Number.POSITIVE_INFINITY);
    expect(changes).toEqual(expect.arrayContaining(["content-publish", "snapshot-publish", "old-file-remove"]));
    let failed = 0;
    // Several at a time: each waits for the disk most of the time.
    for (let from = 0; from < changes.length; from += 8) {
      const numbers = changes.slice(from, from + 8).map((_step, at) => from + at);
      const ends = await Promise.all(numbers.map(async (number) => await round(code, number)));
      failed += ends.filter(({ error }) => error !== undefined).length;
    }
    expect(failed).toBeGreaterThan(10);
  },
);

async function round(
  code: string,
  from: number,
): Promise<{ readonly steps: readonly Step[]; readonly error?: unknown }> {
  await using place = await openPlace("fast");
  const cause = failing(code, from);
  const platform = stoppedAt(realPlatform, cause.at);
  const store = openFileStore({ ...place, foldBytesMin }, { platform, foldEarly: true, roomFrom: 0 });
  const { session, acknowledged, error } = await work(store);
  if (error !== undefined) {
    if (!isPulseError(error, "PULSE_STORE")) throw error;
    expect(error.message).toContain(causes[code]?.word);
    expect(error.message).toContain(code);
    expect(error.details).toMatchObject({ runId: "order", next: "mend-store", systemCode: code });
    expect(error.details.medium.startsWith(place.folder)).toBe(true);
    // Nothing more is written, even should the disk take it again.
    cause.gone();
    const again = session && saveUpTo(session, history, acknowledged, acknowledged + 1);
    if (again !== undefined) await expect(again).rejects.toMatchObject({ code: "PULSE_STORE" });
  }
  await session?.close();
  cause.gone();

  const next = await fileStore({ ...place, foldBytesMin }).acquire("order");
  const found = (await loadOrNothing(next))?.header.revision ?? 0;
  expect([acknowledged, acknowledged + 1]).toContain(found);
  await saveUpTo(next, history, found, saves + 2);
  await next.close();
  await expectSame(fileStore(place));
  expect(await fileStore(place).collect({ windowMs: 0 })).toMatchObject({ waiting: 0, unreadable: [] });
  await expectSame(fileStore(place));
  // A lock that could not be removed is removed by the next owner, unless its own never came to own anything.
  expect((await readdir(join(place.folder, "locks"))).length).toBeLessThanOrEqual(error === undefined ? 0 : 1);
  return { steps: cause.steps, error };
}

/** The whole history is there, its contents too. */
async function expectSame(store: FileStore): Promise<void> {
  await expectRecord(store, await store.catalog.read("order"), history.at(saves + 2));
}
