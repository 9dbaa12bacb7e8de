import { chmod, chown, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { sqliteStore } from "./open.ts";
import type { SqliteStore } from "./open.ts";
import { expectRecord, saveRun } from "./testing/expect-record.ts";
import { openPlace, rejectionOf } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";
import type { Sample } from "./testing/sample-run.ts";
import { mounts, openDisk } from "./testing/small-disk.ts";
import { startChild } from "./testing/start-child.ts";

const run = sample("order");

/** Saves until it fails. */
async function saveUntilRefused(session: Session, saving: Sample) {
  for (let saved = 0; ; saved += 1) {
    try {
      await saveUpTo(session, saving, saved, saved + 1);
    } catch (error) {
      return { saved, error };
    }
  }
}

/** The record is what was acknowledged, or one save more; and the run goes on. */
async function expectToGoOn(store: SqliteStore, acknowledged: number, saving: Sample = run): Promise<void> {
  const session = await store.acquire("order");
  const { revision } = (await session.load()).header;
  expect([acknowledged, acknowledged + 1]).toContain(revision);
  await expectRecord(store, saving, revision);
  await saveUpTo(session, saving, revision, revision + 3);
  await session.close();
  await expectRecord(store, saving, revision + 3);
  expect((await store.checkIntegrity()).problems).toEqual([]);
}

test("KIT-6 SQL-1 a second program that holds the write lock: saves wait as long as they may, the event loop goes on, and nothing is half there", async () => {
  await using place = await openPlace();
  const patient = place.open({}, { busyMs: 60_000 });
  await saveRun(patient, run, 2);
  const session = await patient.acquire("order");
  await using other = startChild("lock-child.ts", [place.file]);
  expect(await other.said()).toBe("holding");
  const hasty = place.open({}, { busyMs: 30 });
  const error = await rejectionOf("PULSE_STORE", hasty.acquire("another"));
  expect(error.message).toContain("another process held the database's write lock for too long");
  expect(error.details).toMatchObject({ runId: "another", next: "mend-store", systemCode: "SQLITE_BUSY" });
  // Reading needs no lock, and shows what was committed.
  expect((await hasty.catalog.read("order")).header.revision).toBe(2);
  const saving = saveUpTo(session, run, 2, 3);
  other.process.send("let go");
  expect(await other.said()).toBe("let go");
  await saving;
  await session.close();
  await expectToGoOn(patient, 3);
});

test("KIT-6 SQL-1 a writer that is killed in the midst of its transaction has written nothing, and holds nobody up", async () => {
  await using place = await openPlace();
  const store = place.open();
  await saveRun(store, run, 2);
  await using other = startChild("lock-child.ts", [place.file]);
  expect(await other.said()).toBe("holding");
  await other.kill();
  await expectToGoOn(store, 2);
});

test.runIf(process.platform !== "win32")(
  "KIT-6 a write that the system cuts short: the error says so, the record is whole, and the run goes on without the limit",
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace("disk");
    await saveRun(place.open(), sample("other"), 1);
    await using owner = startChild("save-child.ts", [place.file], { fileKilobytes: 200 });
    expect(await owner.said()).toEqual({ acquired: 0 });
    let acknowledged = 0;
    let failed: { readonly failed?: string; readonly message?: string } = {};
    while (failed.failed === undefined) {
      const said = (await owner.said()) as { readonly saved?: number; readonly failed?: string };
      acknowledged = said.saved ?? acknowledged;
      failed = said;
    }
    expect(failed.failed).toBe("PULSE_STORE");
    expect(failed.message).toMatch(/the disk is full|the disk reported an error/);
    expect(acknowledged).toBeGreaterThan(1);
    await owner.kill();
    await expectToGoOn(place.open(), acknowledged, sample("order", { nodesMax: 50 }));
  },
);

test.runIf(mounts)(
  "KIT-6 a disk that is really full: each call says so, what is there can be read, and the run goes on when there is room",
  async () => {
    await using disk = await openDisk("size=1m");
    const file = join(disk.folder, "runs.db");
    const big = sample("order", { bytesAt: (revision) => new Uint8Array(Buffer.alloc(9_000, `${revision} `)) });
    const store = sqliteStore({ file });
    const session = await store.acquire("order");
    const { saved, error } = await saveUntilRefused(session, big);
    if (!isPulseError(error, "PULSE_STORE")) throw error;
    expect(error.message).toMatch(/the disk is full|cannot be opened or made|the disk reported an error/);
    expect(error.details).toMatchObject({ runId: "order", next: "mend-store", medium: file });
    expect(saved).toBeGreaterThan(1);
    await session.close();
    expect([saved, saved + 1]).toContain((await store.catalog.read("order")).header.revision);
    disk.remount("size=8m");
    await expectToGoOn(store, saved, big);
    await store.close();
  },
);

test.runIf(mounts)(
  "KIT-6 a file system that is really read-only: nothing can be owned, and the message says which",
  async () => {
    await using disk = await openDisk("size=8m");
    const file = join(disk.folder, "runs.db");
    const first = sqliteStore({ file });
    await saveRun(first, run, 3);
    await first.close();
    disk.remount("ro");
    const store = sqliteStore({ file });
    const error = await rejectionOf("PULSE_STORE", store.acquire("order"));
    expect(error.message).toMatch(/cannot be opened or made|may only be read/);
    expect(error.message).toContain(file);
    disk.remount("rw");
    await expectToGoOn(store, 3);
    await store.close();
  },
);

test.runIf(mounts)("KIT-6 a file that may really not be written can be read, and nothing can be owned", async () => {
  await using place = await openPlace("disk");
  const first = place.open();
  await saveRun(first, run, 3);
  await first.close();
  await chmod(place.file, 0o444);
  await chmod(place.folder, 0o777);
  // Somebody for whom permissions count.
  const nobody = 65_534;
  await chown(place.folder, nobody, nobody);
  await using owner = startChild("save-child.ts", [place.file], { node: ["--import", asNobody(nobody)] });
  const said = (await owner.said()) as { readonly failed?: string; readonly message?: string };
  expect(said.failed).toBe("PULSE_STORE");
  expect(said.message).toMatch(/may only be read/);
  expect(await readdir(place.folder)).toContain("runs.db");
  await chown(place.folder, 0, 0);
  await expectToGoOn(place.open(), 3);
});

/** A module that makes a process work as another user from its beginning. */
const asNobody = (uid: number): string => `data:text/javascript,${encodeURIComponent(`process.seteuid(${uid})`)}`;

test("SQL-1 where the driver's native part is missing the message says what to run", async () => {
  await using place = await openPlace();
  await using child = startChild("save-child.ts", [place.file], { node: ["--import", withoutNativePart] });
  const said = (await child.said()) as { readonly failed?: string; readonly message?: string };
  expect(said.failed).toBe("PULSE_STORE");
  expect(said.message).toContain("better-sqlite3 was installed without its native part");
  expect(said.message).toContain("npm install-scripts approve better-sqlite3");
  expect(said.message).toContain("npm rebuild better-sqlite3");
  expect(await readdir(place.folder)).toEqual([]);
});

/** As if nothing had been built: every look for the file finds none. */
const withoutNativePart = `data:text/javascript,${encodeURIComponent(`
import Module from "node:module";
const load = Module._extensions[".node"];
Module._extensions[".node"] = (module, path) => {
  if (!path.includes("better_sqlite3")) return load(module, path);
  throw Object.assign(new Error("Cannot find module '" + path + "'"), { code: "MODULE_NOT_FOUND" });
};
`)}`;
