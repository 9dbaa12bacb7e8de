import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "./open.ts";
import { expectRecord, saveRun } from "./testing/expect-record.ts";
import { everythingIn, openPlace, rejectionOf, sqliteError } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";

const bytesAt = (revision: number): Uint8Array => new Uint8Array(Buffer.alloc(18_000, `${revision} `));

test("SQL-3 a backup is a store of its own, made while runs go on: all that was saved before, and nobody owns a run in it", async () => {
  await using place = await openPlace();
  const store = place.open();
  const run = sample("order", { bytesAt });
  await saveRun(store, sample("done", { bytesAt }), 40);
  const session = await store.acquire("order");
  await saveUpTo(session, run, 0, 20);
  const copy = join(place.folder, "copy.db");
  const steps: number[] = [];
  let saving: Promise<void> | undefined;
  const made = await store.backup(copy, {
    onProgress: ({ copiedBytes, totalBytes }) => {
      expect(copiedBytes).toBeLessThanOrEqual(totalBytes);
      steps.push(copiedBytes);
      saving ??= saveUpTo(session, run, 20, 30);
    },
  });
  await saving;
  expect(steps.length).toBeGreaterThan(1);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(made).toMatchObject({ file: copy, runs: 2 });
  expect((await stat(copy)).size).toBe(made.bytes);
  expect((await readdir(place.folder)).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  const other = sqliteStore({ file: copy });
  await expectRecord(other, run, 20);
  await expectRecord(other, sample("done", { bytesAt }), 40);
  await (await other.acquire("order")).close();
  await other.close();
  await expectRecord(store, run, 30);
});

test("SQL-3 a backup overwrites nothing, and says what is in its way", async () => {
  await using place = await openPlace();
  const store = place.open();
  await saveRun(store, sample("order"), 1);
  const taken = join(place.folder, "taken.db");
  await writeFile(taken, "a file of somebody");
  const before = await everythingIn(place.folder);
  const cases: readonly [string, string][] = [
    [taken, "no backup overwrites one"],
    [place.file, "no backup overwrites one"],
    [join(place.folder, "no", "copy.db"), `there is no folder ${join(place.folder, "no")}`],
  ];
  for (const [path, says] of cases) {
    const error = await rejectionOf("PULSE_STORE", store.backup(path));
    expect(error.message).toContain(says);
    expect(error.details).toMatchObject({ medium: path, next: "mend-store" });
  }
  for (const path of ["", ":memory:", "a\0b"]) {
    expect((await rejectionOf("PULSE_INVALID", store.backup(path))).message).toContain("path is");
  }
  expect(await everythingIn(place.folder)).toEqual(before);
});

test("SQL-3 a backup that is aborted or fails at any of its points leaves no file behind but a whole one", async () => {
  await using place = await openPlace();
  const store = place.open();
  const run = sample("order", { bytesAt });
  await saveRun(store, run, 60);
  const copies = async (): Promise<readonly string[]> =>
    (await readdir(place.folder)).filter((name) => name.startsWith("copy"));
  const abort = new AbortController();
  const reason = new Error("no more time");
  const aborted = store.backup(join(place.folder, "copy.db"), {
    signal: abort.signal,
    onProgress: () => abort.abort(reason),
  });
  await expect(aborted).rejects.toBe(reason);
  expect(await copies()).toEqual([]);
  for (const step of ["backup-copy", "backup-check", "backup-publish"]) {
    for (const moment of ["before", "after"]) {
      const failing = place.open({
        at: (point) => {
          if (point === `${step} ${moment}`) throw sqliteError("SQLITE_FULL");
        },
      });
      const copy = join(place.folder, `copy ${step} ${moment}.db`);
      const error = await rejectionOf("PULSE_STORE", failing.backup(copy));
      expect(error.message).toContain("backing up: the disk is full");
      const published = step === "backup-publish" && moment === "after";
      expect(await copies()).toEqual(published ? [`copy ${step} ${moment}.db`] : []);
    }
  }
});

test("SQL-3 a whole store has no problem, and the check counts what it looked at", async () => {
  await using place = await openPlace();
  const store = place.open();
  await saveRun(store, sample("order", { bytesAt }), 7);
  await saveRun(store, sample("other"), 2);
  expect(await store.checkIntegrity()).toEqual({ problems: [], runs: 2, entries: 22, contents: 7 });
  const reason = new Error("no more time");
  await expect(store.checkIntegrity({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
