import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform, systemError } from "./testing/faults.ts";
import { everythingIn, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const history = historyOf("order");

test(
  "FILE-6 KIT-6 disk full, read-only and lost permission are told apart; the record is the old or the new one, and resume works afterwards",
  { timeout: 300_000 },
  async () => {
    const words = {
      ENOSPC: "disk is full",
      EDQUOT: "quota",
      EROFS: "read-only",
      EACCES: "permission",
      EIO: "disk reported an error",
    };
    for (const [code, word] of Object.entries(words)) {
      for (const kind of ["fail", "cut", "after"] as const) {
        for (const failing of ["journal-append", "journal-sync"] as const) {
          await using place = await openPlace();
          let armed = false;
          const platform = faultyPlatform((step) => (armed && step === failing ? { kind, code } : undefined));
          const session = await openFileStore(place, { platform }).acquire("order");
          await saveUpTo(session, history, 0, 2);
          armed = true;
          const error = await rejectionOf("PULSE_STORE", saveUpTo(session, history, 2, 3));
          expect(error.message).toContain(word);
          expect(error.message).toContain(code);
          expect(error.details).toMatchObject({ runId: "order", next: "mend-store", systemCode: code });
          expect(error.details.medium.startsWith(place.folder)).toBe(true);
          expect(isPulseError(error.cause)).toBe(false);
          armed = false;
          // The cause is gone, but nothing more is written to that journal.
          await rejectionOf("PULSE_STORE", saveUpTo(session, history, 2, 3));
          await session.close();
          const next = await fileStore(place).acquire("order");
          const record = await next.load();
          expect([2, 3]).toContain(record.header.revision);
          expect(record).toEqual(history.at(record.header.revision));
          await saveUpTo(next, history, record.header.revision, 5);
          await next.close();
          expect(await fileStore(place).catalog.read("order")).toEqual(history.at(5));
        }
      }
    }
  },
);

test("FILE-6 an acquire that fails at any change leaves nothing that keeps the run from others", async () => {
  const failAt = async (number: number): Promise<{ error: unknown; complete: boolean }> => {
    await using place = await openPlace();
    const platform = faultyPlatform((_step, now) => (now === number ? { kind: "fail", code: "ENOSPC" } : undefined));
    let error: unknown;
    try {
      await (await openFileStore(place, { platform }).acquire("order")).close();
    } catch (caught) {
      error = caught;
    }
    const session = await fileStore(place).acquire("order");
    await saveUpTo(session, history, 0, 1);
    await session.close();
    expect(await readdir(join(place.folder, "locks"))).toEqual([]);
    return { error, complete: platform.steps.length <= number };
  };
  const outcomes = [await failAt(0)];
  while (outcomes.at(-1)?.complete === false) outcomes.push(await failAt(outcomes.length));
  const errors = outcomes.flatMap(({ error }) => (error === undefined ? [] : [error]));
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.filter((error) => !isPulseError(error, "PULSE_STORE"))).toEqual([]);
});

test("FILE-6 a file where the folder should be is refused and stays as it is", async () => {
  await using place = await openPlace();
  await writeFile(join(place.folder, "file"), "mine");
  for (const folder of [join(place.folder, "file"), join(place.folder, "file", "below")]) {
    const store = fileStore({ folder });
    const before = await everythingIn(place.folder);
    const error = await rejectionOf("PULSE_STORE", store.acquire("order"));
    expect(error.message).toMatch(/file, not a folder|file is where a folder/);
    expect(error.details.medium.startsWith(folder)).toBe(true);
    await rejectionOf("PULSE_STORE", store.catalog.list());
    expect(await everythingIn(place.folder)).toEqual(before);
  }
});

test("FILE-6 a folder that cannot be written is refused, and nothing is made", async () => {
  for (const code of ["EROFS", "EACCES", "EPERM"]) {
    await using place = await openPlace();
    const platform = faultyPlatform(() => ({ kind: "fail", code }));
    const error = await rejectionOf("PULSE_STORE", openFileStore(place, { platform }).acquire("order"));
    expect(error.details.systemCode).toBe(code);
    expect(await readdir(place.folder)).toEqual([]);
  }
});

test("FILE-6 a run's folder that cannot be read is an error of the store, never an empty run", async () => {
  await using place = await openPlace();
  const session = await fileStore(place).acquire("order");
  await saveUpTo(session, history, 0, 1);
  await session.close();
  const unreadable = {
    ...realPlatform,
    openToRead: async (): Promise<never> => await Promise.reject(systemError("EACCES")),
  };
  const store = openFileStore(place, { platform: unreadable });
  await rejectionOf("PULSE_STORE", store.acquire("order"));
  await rejectionOf("PULSE_STORE", store.catalog.read("order"));
  expect((await store.catalog.list()).runs[0]?.problem).toContain("permission");
});

test("FILE-1 a folder that is missing is made, with those above it", async () => {
  await using place = await openPlace();
  const store = fileStore({ folder: join(place.folder, "a", "b", "c") });
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 1);
  await session.close();
  expect(await store.catalog.read("order")).toEqual(history.at(1));
});

test("FILE-7 a folder that holds other things keeps them", async () => {
  await using place = await openPlace();
  await mkdir(join(place.folder, "runs", "notes"), { recursive: true });
  await writeFile(join(place.folder, "runs", "notes", "x"), "mine");
  await writeFile(join(place.folder, "readme"), "mine");
  const store = fileStore(place);
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 1);
  await session.close();
  expect((await store.catalog.list()).runs.map(({ runId }) => runId)).toEqual(["order"]);
  await store.catalog.delete("order");
  expect(await readdir(join(place.folder, "runs"))).toEqual(["notes"]);
  expect(await readdir(place.folder)).toContain("readme");
});

test("STORE-2 FILE-6 a run whose file cannot be closed well is let go all the same", async () => {
  await using place = await openPlace();
  const platform: Platform = {
    ...realPlatform,
    async openToWrite(path) {
      const file = await realPlatform.openToWrite(path);
      const close = file.close.bind(file);
      file.close = async () => {
        await close();
        throw systemError("EIO");
      };
      return file;
    },
  };
  const session = await openFileStore(place, { platform }).acquire("order");
  await saveUpTo(session, history, 0, 1);
  const error = await rejectionOf("PULSE_STORE", session.close());
  expect(error.details).toMatchObject({ runId: "order", systemCode: "EIO" });
  expect(error.message).toContain('closing run "order": the disk reported an error');
  const next = await fileStore(place).acquire("order");
  expect(await next.load()).toEqual(history.at(1));
  await next.close();
});

test("FILE-6 a folder where a file should be, or a file where a folder should be, is named", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 1);
  await session.close();
  const journal = await onlyFile(place.folder, "id-order", "journal-");
  await rm(journal);
  await mkdir(journal);
  const unreadable = await rejectionOf("PULSE_STORE", store.catalog.read("order"));
  expect(unreadable.details).toMatchObject({ systemCode: "EISDIR", medium: journal, runId: "order" });
  expect(unreadable.message.endsWith(`a folder is where a file should be; move it away (EISDIR); at ${journal}`)).toBe(
    true,
  );

  const mark = join(place.folder, "pulse-filestore");
  await rm(mark);
  await mkdir(mark);
  const markless = await rejectionOf("PULSE_STORE", store.catalog.list());
  expect(markless.details).toMatchObject({ systemCode: "EISDIR", medium: mark });

  await using other = await openPlace();
  await writeFile(join(other.folder, "runs"), "");
  const error = await rejectionOf("PULSE_STORE", fileStore(other).acquire("order"));
  expect(error.details).toMatchObject({ medium: join(other.folder, "runs") });
});
