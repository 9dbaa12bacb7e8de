import { hash } from "node:crypto";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import type { CollectedContents } from "./collect.ts";
import { stoppedAt } from "./fault-points.ts";
import type { Moment } from "./fault-points.ts";
import { contentPath } from "./layout.ts";
import { fileStore, openFileStore } from "./open.ts";
import type { FileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import { bigValue, contentFiles, expectNamedContents } from "./testing/big-values.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { endingAt } from "./testing/faults.ts";
import { fakeProcesses, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const bytes = 17_000;
const shared = bigValue("shared", 1, bytes);
const sharedDigest = hash("sha256", shared);

/** A run that saves the same content as every other run of this kind. */
const sharing = (runId: string) => historyOf(runId, { bytesAt: () => shared });

/** Saves a run's first revisions and lets go. */
async function saveRun(store: FileStore, runId: string, revisions = 1, history = sharing(runId)): Promise<void> {
  const session = await store.acquire(runId);
  await saveUpTo(session, history, 0, revisions);
  await session.close();
}

/** As after any time: every content was last used long ago. */
async function age(folder: string): Promise<void> {
  for (const entry of await readdir(join(folder, "contents"), { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), 1_000_000, 1_000_000);
  }
}

const counts = (collected: CollectedContents): readonly number[] => [
  collected.kept,
  collected.waiting,
  collected.removed,
];

test("STORE-8 a content that no record names goes, but only after a day; what a record names stays however old", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  expect(counts(await store.collect())).toEqual([0, 0, 0]);
  await saveRun(store, "a", 3, historyOf("a", { valueBytes: bytes }));
  await saveRun(store, "b", 2, historyOf("b", { valueBytes: bytes }));
  await age(place.folder);
  expect(counts(await store.collect())).toEqual([5, 0, 0]);
  await store.catalog.delete("a");
  // As if a's had been used less than a day ago, and then a little more than a day ago.
  for (const [ageMs, expected] of [
    [86_000_000, [5, 0, 0]],
    [86_500_000, [2, 0, 3]],
  ] as const) {
    const used = (Date.now() - ageMs) / 1000;
    for (let revision = 1; revision <= 3; revision += 1) {
      const digest = hash("sha256", bigValue("a", revision, bytes));
      await utimes(contentPath(place.folder, digest), used, used);
    }
    const collected = await store.collect();
    expect(counts(collected)).toEqual(expected);
    expect(collected.removedBytes).toBe(collected.removed * bytes);
  }
  await expectNamedContents(store);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([2, 0, 0]);
});

test("STORE-8 a content that a save uses again counts as new from then on", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  await saveRun(store, "a");
  await store.catalog.delete("a");
  await age(place.folder);
  await saveRun(store, "b");
  await store.catalog.delete("b");
  expect(counts(await store.collect())).toEqual([1, 0, 0]);
  await age(place.folder);
  expect(counts(await store.collect())).toEqual([0, 0, 1]);
});

test("STORE-8 a content that is used between the look at its age and its removal counts as new, though nothing names it", async () => {
  await using place = await openPlace();
  const other = fileStore(place);
  await saveRun(other, "a");
  await other.catalog.delete("a");
  await age(place.folder);
  const platform = stoppedAt(realPlatform, async (moment, { step }) => {
    if (moment !== "before" || step !== "collect-take-out") return;
    await saveRun(other, "b");
    await other.catalog.delete("b");
  });
  expect(counts(await openFileStore(place, { platform }).collect())).toEqual([1, 0, 0]);
  await age(place.folder);
  expect(counts(await other.collect())).toEqual([0, 0, 1]);
});

test("STORE-8 nothing goes while a run is open that was open when it was found unnamed; another process's run counts too", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const here = openFileStore(place, processes.parts(1));
  const there = openFileStore(place, processes.parts(2));
  await saveRun(here, "a");
  await here.catalog.delete("a");
  const open = await there.acquire("b");
  expect(counts(await here.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  // Still there for whoever read its name before.
  expect(await here.catalog.content?.("a", sharedDigest)).toEqual(shared);
  const later = await there.acquire("c");
  expect(counts(await here.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  await open.close();
  expect(counts(await here.collect({ windowMs: 0 }))).toEqual([0, 0, 1]);
  await later.close();
  expect(await contentFiles(place.folder)).toEqual([]);
});

test("STORE-8 an owner that was killed keeps nothing from going; one that may come back does", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const store = openFileStore(place, processes.parts(1));
  for (const [runId, parts] of [
    ["killed", processes.parts(2)],
    ["strange", processes.strangerParts(3)],
  ] as const) {
    await saveRun(store, "a");
    await store.catalog.delete("a");
    const session = await openFileStore(place, parts).acquire(runId);
    expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
    processes.kill(2);
    for (const name of await readdir(join(place.folder, "locks")))
      await utimes(join(place.folder, "locks", name), 1, 1);
    const gone = runId === "killed";
    expect(counts(await store.collect({ windowMs: 0 }))).toEqual(gone ? [0, 0, 1] : [0, 1, 0]);
    await session.close();
    expect(counts(await store.collect({ windowMs: 0 }))).toEqual(gone ? [0, 0, 0] : [0, 0, 1]);
  }
});

test("STORE-8 what an open run names after all is put back, and what it saves anew gets a place of its own", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const store = openFileStore(place, processes.parts(1));
  await saveRun(store, "a");
  await store.catalog.delete("a");
  const open = await openFileStore(place, processes.parts(2)).acquire("b");
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  await saveUpTo(open, sharing("b"), 0, 1);
  expect(await contentFiles(place.folder)).toHaveLength(2);
  await open.close();
  await store.collect({ windowMs: 0 });
  expect(await contentFiles(place.folder)).toEqual([sharedDigest]);
  await expectNamedContents(store);
});

test("STORE-8 while a record cannot be read nothing goes, and the collection says which", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  await saveRun(store, "a");
  await saveRun(store, "b", 1, historyOf("b", { valueBytes: bytes }));
  await store.catalog.delete("a");
  await writeFile(await onlyFile(place.folder, "id-b", "journal-"), "nonsense\n");
  const collected = await store.collect({ windowMs: 0 });
  expect(collected).toEqual({ kept: 2, waiting: 0, removed: 0, removedBytes: 0, unreadable: ["b"] });
});

test("STORE-8 a window that is none is refused", async () => {
  await using place = await openPlace();
  for (const windowMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect((await rejectionOf("PULSE_INVALID", fileStore(place).collect({ windowMs }))).message).toContain("windowMs");
  }
});

test.each(["nothing", "all"] as const)(
  "STORE-8 a collection that is killed at any change, with %s of it done, has lost nothing that is named; the next one ends its work",
  { timeout: 120_000 },
  async (done) => {
    for (let number = 0, complete = false; !complete; number += 1) {
      await using place = await openPlace("fast");
      const processes = fakeProcesses();
      const store = openFileStore(place, processes.parts(1));
      await saveRun(store, "kept");
      await saveRun(store, "gone", 2, historyOf("gone", { valueBytes: bytes }));
      await store.catalog.delete("gone");
      // Taken out once already, and named by a save since: this one has to be put back.
      await saveRun(store, "again", 1, historyOf("again", { valueBytes: bytes }));
      const open = await openFileStore(place, processes.parts(2)).acquire("open");
      const platform = endingAt(number, done);
      try {
        const dying = openFileStore(place, { ...processes.parts(3), platform });
        await dying.collect({ windowMs: 0 });
        processes.kill(2);
        await dying.collect({ windowMs: 0 });
      } catch (error) {
        if (!isPulseError(error, "PULSE_STORE")) throw error;
      }
      complete = platform.steps.length <= number;
      processes.kill(2);
      await expectNamedContents(store);
      await open.close();
      expect(counts(await store.collect({ windowMs: 0 })).slice(0, 2)).toEqual([2, 0]);
      await expectNamedContents(store);
      expect(await readdir(join(place.folder, "contents"))).not.toContainEqual(expect.stringMatching(/^owners-/));
    }
  },
);

test(
  "STORE-8 STORE-1 a save that uses an old content while a collection is at any point never loses it, nor does a second collection there",
  { timeout: 240_000 },
  async () => {
    let met = 0;
    for (const done of ["before", "after"] as const) {
      for (const whole of [true, false]) {
        for (let number = 0, complete = false; !complete; number += 1) {
          await using place = await openPlace("fast");
          const processes = fakeProcesses();
          const store = openFileStore(place, processes.parts(1));
          await saveRun(store, "old");
          await store.catalog.delete("old");
          // Opened before the collection or in the midst of it; and let go in the midst or after it.
          const owner = openFileStore(place, processes.parts(2));
          const early = whole ? await owner.acquire("b") : undefined;
          let reached = false;
          const platform = stoppedAt(realPlatform, async (moment, change) => {
            if (moment !== done || change.number !== number) return;
            reached = true;
            const session = early ?? (await owner.acquire("b"));
            await saveUpTo(session, sharing("b"), 0, 1);
            if (whole) await session.close();
            await openFileStore(place, processes.parts(4)).collect({ windowMs: 0 });
            if (!whole) await session.close();
          });
          await openFileStore(place, { ...processes.parts(3), platform }).collect({ windowMs: 0 });
          complete = !reached;
          if (reached) {
            met += 1;
            await expectNamedContents(store);
            await store.collect({ windowMs: 0 });
            await expectNamedContents(store);
            expect(await contentFiles(place.folder)).toEqual([sharedDigest]);
          }
          await early?.close();
        }
      }
    }
    expect(met).toBeGreaterThan(8);
  },
);

test(
  "STORE-8 STORE-1 a collection that runs to its end while a save is at any point never takes what the save names",
  { timeout: 240_000 },
  async () => {
    const round = async (number: number, moment: Moment): Promise<number> => {
      await using place = await openPlace("fast");
      const processes = fakeProcesses();
      const store = openFileStore(place, processes.parts(1));
      await saveRun(store, "old");
      await store.catalog.delete("old");
      let changes = 0;
      const platform = stoppedAt(realPlatform, async (now, change) => {
        changes = change.number + 1;
        if (now !== moment || change.number !== number) return;
        await openFileStore(place, processes.parts(3)).collect({ windowMs: 0 });
        await openFileStore(place, processes.parts(4)).collect({ windowMs: 0 });
      });
      const owner = openFileStore({ ...place, foldBytesMin: 0 }, { ...processes.parts(2), platform });
      await saveRun(owner, "b", 1);
      await expectNamedContents(store);
      await store.collect({ windowMs: 0 });
      await expectNamedContents(store);
      expect(await contentFiles(place.folder)).toEqual([sharedDigest]);
      return changes;
    };
    const changes = await round(-1, "before");
    expect(changes).toBeGreaterThan(15);
    for (let number = 0; number < changes; number += 1) {
      await round(number, "before");
      await round(number, "after");
    }
  },
);
