import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Header } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import type { FileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import { expectNamedContents } from "./testing/big-values.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { endingAt } from "./testing/faults.ts";
import { everythingIn, fakeProcesses, loadOrNothing, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { firstRecord, historyOf, nextRecord } from "./testing/records.ts";

async function saveRun(store: FileStore, runId: string, fields: Partial<Header> = {}): Promise<void> {
  const first = firstRecord(runId);
  const second = nextRecord(first.record, fields);
  const session = await store.acquire(runId);
  await session.save(first.record, 0, first.changes);
  await session.save(second.record, 1, second.changes);
  await session.close();
}

test("STORE-7 a folder that is not there has no runs, and looking makes none", async () => {
  await using place = await openPlace();
  const { catalog } = fileStore({ folder: join(place.folder, "store") });
  expect(await catalog.list()).toEqual({ runs: [] });
  expect(await catalog.count()).toBe(0);
  await rejectionOf("PULSE_NOT_FOUND", catalog.read("order"));
  await catalog.delete("order");
  expect(await readdir(place.folder)).toEqual([]);
});

test("STORE-7 a run whose folder's name is a digest is listed while its files come and go", async () => {
  await using place = await openPlace();
  const runId = "R".repeat(300);
  await saveRun(fileStore(place), runId);
  const session = await fileStore(place).acquire(runId);
  await session.load();
  let listed = 0;
  const platform: Platform = {
    ...realPlatform,
    async list(path) {
      const names = await realPlatform.list(path);
      // Its owner saved nothing, and takes the newest file back between a look at the names and one into the file.
      if (names?.some((name) => name.startsWith("journal-")) === true && ++listed === 1) await session.close();
      return names;
    },
  };
  const { catalog } = openFileStore(place, { platform });
  expect((await catalog.list()).runs.map((run) => run.runId)).toEqual([runId]);
  expect(listed).toBeGreaterThan(1);
});

test("STORE-7 STORE-8 a run whose folder's name is a digest is listed, and keeps its contents, also when its newest journal lost its first line", async () => {
  await using place = await openPlace();
  const runId = "R".repeat(300);
  const store = fileStore(place);
  const session = await store.acquire(runId);
  await saveUpTo(session, historyOf(runId, { valueBytes: 17_000 }), 0, 3);
  await session.close();
  const [name = ""] = await readdir(join(place.folder, "runs"));
  const journal = await onlyFile(place.folder, name, "journal-");
  // What a loss of power leaves of an owner that had nothing to save.
  await writeFile(journal.replace(/1$/, "2"), "");
  expect((await store.catalog.list()).runs.map((run) => run.runId)).toEqual([runId]);
  expect((await store.collect({ windowMs: 0 })).removed).toBe(0);
  await expectNamedContents(store);
});

test("STORE-7 FILE-4 readers see whole records, each newer than the last, while the owner saves and folds", async () => {
  await using place = await openPlace();
  const history = historyOf("order", { nodesMax: 3 });
  const session = await fileStore({ ...place, foldBytesMin: 2_000 }).acquire("order");
  await saveUpTo(session, history, 0, 1);
  const last = 120;
  const read = async (): Promise<void> => {
    const { catalog } = fileStore(place);
    for (let seen = 0; seen < last;) {
      const record = await catalog.read("order");
      expect(record.header.revision).toBeGreaterThanOrEqual(seen);
      seen = record.header.revision;
      expect(record).toEqual(historyOf("order", { nodesMax: 3 }).at(seen));
    }
  };
  await Promise.all([read(), read(), saveUpTo(session, history, 1, last)]);
  await session.close();
});

test("STORE-7 a run that is deleted leaves nothing on disk", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin: 2_000 });
  const session = await store.acquire("order");
  await saveUpTo(session, historyOf("order"), 0, 20);
  await session.close();
  await store.catalog.delete("order");
  expect(await readdir(join(place.folder, "runs"))).toEqual([]);
  expect(await readdir(join(place.folder, "locks"))).toEqual([]);
});

test(
  "D8 STORE-7 a deletion that ends at any change leaves the old run whole or a clean new one, never a part",
  { timeout: 300_000 },
  async () => {
    const history = historyOf("order", { nodesMax: 3 });
    /** Ends the deleting process at the change of this number; tells what it thought, and whether it got that far. */
    const deleteUpTo = async (number: number): Promise<{ deleted: boolean; found: number; complete: boolean }> => {
      await using place = await openPlace();
      const processes = fakeProcesses();
      const first = await openFileStore({ ...place, foldBytesMin: 2_000 }, processes.parts(1)).acquire("order");
      await saveUpTo(first, history, 0, 10);
      await first.close();
      const platform = endingAt(number, "nothing");
      const { catalog } = openFileStore(place, { ...processes.parts(2), platform });
      const deleted = await catalog.delete("order").then(
        () => true,
        () => false,
      );
      processes.kill(2);
      const store = openFileStore(place, processes.parts(3));
      const { runs } = await store.catalog.list();
      const found = runs[0]?.revision ?? 0;
      expect(runs.map(({ problem }) => problem)).toEqual(found === 0 ? [] : [undefined]);
      const session = await store.acquire("order");
      expect(await loadOrNothing(session)).toEqual(found === 0 ? undefined : history.at(found));
      await saveUpTo(session, history, found, found + 1);
      await session.close();
      expect(await store.catalog.read("order")).toEqual(history.at(found + 1));
      await store.catalog.delete("order");
      expect(await readdir(join(place.folder, "runs"))).toEqual([]);
      return { deleted, found, complete: platform.steps.length <= number };
    };
    const outcomes = [await deleteUpTo(0)];
    while (outcomes.at(-1)?.complete === false) outcomes.push(await deleteUpTo(outcomes.length));
    expect(outcomes.map(({ found }) => found).every((found) => found === 0 || found === 10)).toBe(true);
    // What was reported as deleted is; once it is gone it stays so; and both cases were met.
    expect(outcomes.filter(({ deleted, found }) => deleted && found > 0)).toEqual([]);
    expect(outcomes[0]?.found).toBe(10);
    expect(outcomes.at(-1)).toEqual({ deleted: true, found: 0, complete: true });
  },
);

test("D11 STORE-7 a run that cannot be read is listed with its problem, and the others are listed beside it", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  for (const runId of ["a", "b", "c", "x".repeat(1_000)]) await saveRun(store, runId);
  await writeFile(await onlyFile(place.folder, "id-b", "journal-"), "nonsense\n");
  const before = await everythingIn(place.folder);
  const { runs } = await store.catalog.list();
  expect(runs.map(({ runId }) => runId)).toEqual(["a", "b", "c", "x".repeat(1_000)]);
  expect(runs.map(({ problem }) => problem === undefined)).toEqual([true, false, true, true]);
  expect(runs[1]?.problem).toContain("journal-");
  expect(await everythingIn(place.folder)).toEqual(before);
});

test("D11 a run whose own files no longer tell its id is listed under its folder's name", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  await saveRun(store, "x".repeat(1_000));
  await saveRun(store, "a");
  const name = (await readdir(join(place.folder, "runs"))).find((found) => found.startsWith("sha256-")) ?? "";
  await writeFile(await onlyFile(place.folder, name, "journal-"), "nonsense\n");
  const { runs } = await store.catalog.list();
  expect(runs.map(({ runId, problem }) => [runId, problem === undefined])).toEqual([
    ["a", true],
    [name, false],
  ]);
});

test("STORE-7 STORE-1 runs are made, saved and deleted by several at once, and nobody meets anything but a busy run", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const history = historyOf("order");
  const unlessBusy = async (action: () => Promise<void>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      if (isPulseError(error, "PULSE_BUSY")) return false;
      throw error;
    }
  };
  const make = async (pid: number): Promise<number> => {
    const store = openFileStore(place, processes.parts(pid));
    let made = 0;
    for (let round = 0; round < 40; round += 1) {
      const done = await unlessBusy(async () => {
        const session = await store.acquire("order");
        const from = (await loadOrNothing(session))?.header.revision ?? 0;
        await saveUpTo(session, history, from, from + 1);
        expect(await session.load()).toEqual(historyOf("order").at(from + 1));
        await session.close();
      });
      if (done) made += 1;
    }
    return made;
  };
  const remove = async (pid: number): Promise<number> => {
    const { catalog } = openFileStore(place, processes.parts(pid));
    let removed = 0;
    for (let round = 0; round < 40; round += 1) if (await unlessBusy(() => catalog.delete("order"))) removed += 1;
    return removed;
  };
  for (const times of await Promise.all([make(1), make(2), remove(3), remove(4)])) expect(times).toBeGreaterThan(0);
  await fileStore(place).catalog.delete("order");
  expect(await readdir(join(place.folder, "runs"))).toEqual([]);
  expect(await readdir(join(place.folder, "new"))).toEqual([]);
});
