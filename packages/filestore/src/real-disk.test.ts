import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import type { FileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { expectRecord } from "./testing/expect-record.ts";
import { openPlace, saveUpTo } from "./testing/place.ts";
import { childHistory, spawnOwner } from "./testing/spawn.ts";

/** Disks that really fail, by means that need no special machine. Where a system does not let a test have one, it is reported as not run. */
const runId = "order";
const mixed = childHistory(runId, "mixed");
const small = childHistory(runId);

const posix = process.platform !== "win32";
const root = process.getuid?.() === 0;
/** Somebody for whom permissions count. */
const nobody = 65_534;
const mounts = mayMount();

function mayMount(): boolean {
  if (process.platform !== "linux" || !root) return false;
  const folder = mkdtempSync(join(tmpdir(), "pulse-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** A file system of this size, of its own. */
async function openDisk(options: string) {
  const folder = await mkdtemp(join(tmpdir(), "pulse-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  return {
    folder,
    remount: (changed: string) => execFileSync("mount", ["-o", `remount,${changed}`, folder]),
    async [Symbol.asyncDispose]() {
      execFileSync("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Saves until it fails. */
async function saveUntilFull(session: Session): Promise<{ readonly saved: number; readonly error: unknown }> {
  for (let saved = 0; ; saved += 1) {
    try {
      await saveUpTo(session, mixed, saved, saved + 1);
    } catch (error) {
      return { saved, error };
    }
  }
}

/** The record is what was saved, or one save more; and the run goes on. */
async function expectToGoOn(store: FileStore, saved: number, history = mixed): Promise<void> {
  const session = await store.acquire(runId);
  const record = await session.load();
  const { revision } = record.header;
  expect([saved, saved + 1]).toContain(revision);
  await expectRecord(store, record, history.at(revision));
  await saveUpTo(session, history, revision, revision + 6);
  await session.close();
  await expectRecord(store, await store.catalog.read(runId), history.at(revision + 6));
}

test.runIf(mounts)(
  "FILE-6 KIT-6 STORE-8 a file system that is really full: whole record, resumed when there is room",
  async () => {
    // Full of bytes, and full of files.
    for (const [options, room] of [
      ["size=400k", "size=8m"],
      ["size=8m,nr_inodes=24", "nr_inodes=400"],
    ] as const) {
      await using disk = await openDisk(options);
      const store = fileStore({ folder: disk.folder, foldBytesMin: 6_000 });
      const session = await store.acquire(runId);
      const { saved, error } = await saveUntilFull(session);
      expect(saved).toBeGreaterThan(3);
      if (!isPulseError(error, "PULSE_STORE")) throw error;
      expect(error.message).toContain("disk is full");
      expect(error.details).toMatchObject({ systemCode: "ENOSPC", next: "mend-store" });
      await session.close();
      // What is there can be read, full as it is.
      expect([saved, saved + 1]).toContain((await store.catalog.read(runId)).header.revision);
      disk.remount(room);
      await expectToGoOn(store, saved);
    }
  },
);

test.runIf(mounts)(
  "FILE-6 KIT-6 a file system that is really read-only: nothing can be owned, and all can be read",
  async () => {
    await using disk = await openDisk("size=8m");
    const store = fileStore({ folder: disk.folder });
    const session = await store.acquire(runId);
    await saveUpTo(session, mixed, 0, 4);
    await session.close();
    disk.remount("ro");
    for (const again of [store, fileStore({ folder: disk.folder })]) {
      const error = await rejectionOf("PULSE_STORE", again.acquire(runId));
      expect(error.message).toContain("read-only");
      expect(error.details.systemCode).toBe("EROFS");
      expect((await rejectionOf("PULSE_STORE", again.catalog.delete(runId))).details.systemCode).toBe("EROFS");
      await expectRecord(again, await again.catalog.read(runId), mixed.at(4));
    }
    disk.remount("rw");
    await expectToGoOn(store, 4);
  },
);

test.runIf(posix)(
  "FILE-6 KIT-6 a folder that may really not be written, in the midst of a run and before one",
  async () => {
    await using place = await openPlace();
    const folder = join(place.folder, "runs-of-others");
    await mkdir(folder);
    if (root) {
      // The way to it is open to everybody; what is in it belongs to nobody.
      await chmod(place.folder, 0o755);
      await chown(folder, nobody, nobody);
    }
    await using owner = await spawnOwner({ folder, values: "mixed", ...(root ? { uid: nobody } : {}) });
    owner.tell({ kind: "acquire", runId });
    expect((await owner.answer()).kind).toBe("acquired");
    owner.tell({ kind: "save", runId, from: 0, to: 2 });
    expect((await owner.answer()).kind).toBe("done");
    await chmod(join(folder, "new"), 0o555);
    // The third value is a content, which takes a file of its own; the journal is open already.
    owner.tell({ kind: "save", runId, from: 2, to: 3 });
    expect(await owner.answer()).toMatchObject({
      code: "PULSE_STORE",
      message: expect.stringContaining("permission is lacking; give this process read and write access to the folder"),
    });
    owner.tell({ kind: "close", runId });
    expect((await owner.answer()).kind).toBe("done");
    owner.tell({ kind: "acquire", runId });
    expect(await owner.answer()).toMatchObject({ code: "PULSE_STORE", message: expect.stringContaining("EACCES") });
    await chmod(join(folder, "new"), 0o755);
    owner.tell({ kind: "acquire", runId });
    expect((await owner.answer()).kind).toBe("acquired");
    owner.tell({ kind: "save", runId, from: 2, to: 6 });
    expect((await owner.answer()).kind).toBe("done");
    owner.tell({ kind: "close", runId });
    expect((await owner.answer()).kind).toBe("done");
    const store = fileStore({ folder });
    await expectRecord(store, await store.catalog.read(runId), mixed.at(6));
  },
);

test.runIf(posix)(
  "FILE-6 KIT-6 STORE-8 writes that the system really cuts short, in the journal and in a content: whole record, resumed without the limit",
  { timeout: 120_000 },
  async () => {
    for (const [values, history, fileKilobytes] of [
      ["small", small, 16],
      ["mixed", mixed, 8],
    ] as const) {
      await using place = await openPlace();
      await using owner = await spawnOwner({ ...place, values, fileKilobytes, foldBytesMin: 1_000_000 });
      owner.tell({ kind: "acquire", runId });
      expect((await owner.answer()).kind).toBe("acquired");
      owner.tell({ kind: "save", runId, from: 0, to: 10_000 });
      expect(await owner.answer()).toMatchObject({
        code: "PULSE_STORE",
        message: expect.stringContaining("the file is larger than the file system allows"),
      });
      expect(owner.acknowledged).toBeGreaterThan(1);
      owner.tell({ kind: "close", runId });
      expect((await owner.answer()).kind).toBe("done");
      expect(await readdir(join(place.folder, "new"))).toEqual([]);
      await expectToGoOn(fileStore(place), owner.acknowledged, history);
    }
  },
);
