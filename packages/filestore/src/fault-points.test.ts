import { hash } from "node:crypto";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { contentPath } from "./layout.ts";
import { fileStore } from "./open.ts";
import type { FileStore } from "./open.ts";
import { fileFaultPoints, fileStoreAt } from "./testing.ts";
import { bigValue } from "./testing/big-values.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { systemError } from "./testing/faults.ts";
import { openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const runId = "order";
const history = historyOf(runId);
const big = historyOf(runId, { valueBytes: 17_000 });

/** What happens in a folder: a store that is watched at every point, and one that is not. */
interface Scene {
  readonly folder: string;
  readonly watched: FileStore;
  readonly other: FileStore;
  /** Does this once, at the first time that the point is reached from now on. */
  once(point: string, action: () => void | Promise<void>): void;
}

const fail = (): never => {
  throw systemError("EIO");
};

async function saveRun(store: FileStore, saves = 1, told = history): Promise<void> {
  const session = await store.acquire(runId);
  await saveUpTo(session, told, 0, saves);
  await session.close();
}

const scenes: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "a run is made, saved, folded and let go": async ({ watched }) => {
    await saveRun(watched, 8);
  },
  "a run is opened and let go, and deleted": async ({ watched }) => {
    await saveRun(watched);
    await (await watched.acquire(runId)).close();
    await watched.catalog.delete(runId);
  },
  "a loss of power left the folder's mark without its text": async ({ folder, watched }) => {
    await writeFile(join(folder, "pulse-filestore"), "");
    await saveRun(watched);
  },
  "an old file and an old folder were left unpublished": async ({ folder, watched, other }) => {
    await saveRun(other);
    await mkdir(join(folder, "new", "folder"));
    for (const name of ["file", "folder/file", "folder"]) {
      if (name !== "folder") await writeFile(join(folder, "new", name), "");
      await utimes(join(folder, "new", name), 1, 1);
    }
    await (await watched.acquire(runId)).close();
  },
  "a lock cannot be removed, and the next owner finds it": async ({ watched, once }) => {
    const session = await watched.acquire(runId);
    await saveUpTo(session, history, 0, 1);
    once("lock-remove before", () => {
      once("lock-remove before", fail);
      fail();
    });
    await session.close();
    await (await watched.acquire(runId)).close();
  },
  "a run's folder cannot be published": async ({ watched, once }) => {
    once("run-publish before", fail);
    await rejectionOf("PULSE_STORE", watched.acquire(runId));
  },
  "a run is deleted and made anew while it is being taken": async ({ watched, other, once }) => {
    await saveRun(other);
    once("epoch-publish before", async () => {
      await other.catalog.delete(runId);
      await saveRun(other);
    });
    await (await watched.acquire(runId)).close();
  },
  "a snapshot cannot be written": async ({ watched, once }) => {
    once("snapshot-write half", fail);
    await saveRun(watched, 8);
  },
  "a content is saved, found damaged, and saved again": async ({ folder, watched }) => {
    await saveRun(watched, 1, big);
    await watched.catalog.delete(runId);
    await writeFile(contentPath(folder, hash("sha256", bigValue(runId, 1, 17_000))), "damaged");
    await saveRun(watched, 1, big);
  },
  "a content is taken out under an open run, used again, put back and removed in the end": async ({ watched }) => {
    await saveRun(watched, 1, big);
    await watched.catalog.delete(runId);
    const session = await watched.acquire(runId);
    await watched.collect({ windowMs: 0 });
    await saveUpTo(session, big, 0, 1);
    await session.close();
    await watched.collect({ windowMs: 0 });
    await watched.catalog.delete(runId);
    expect((await watched.collect({ windowMs: 0 })).removed).toBe(1);
  },
  "a content is used again just before it is taken out": async ({ watched, other, once }) => {
    await saveRun(watched, 1, big);
    await watched.catalog.delete(runId);
    once("collect-take-out before", async () => await saveRun(other, 1, big));
    expect((await watched.collect({ windowMs: 0 })).removed).toBe(0);
  },
};

test(
  "KIT-2 KIT-6 every named change of the disk is reached before it, after it and in the middle of it",
  { timeout: 120_000 },
  async () => {
    const reached = new Set<string>();
    for (const play of Object.values(scenes)) {
      await using place = await openPlace();
      const waiting: [string, () => void | Promise<void>][] = [];
      const options = { ...place, foldBytesMin: 2_500 };
      await play({
        folder: place.folder,
        other: fileStore(options),
        watched: fileStoreAt(options, async (point, path) => {
          reached.add(point);
          expect(path.startsWith(place.folder) || path === dirname(place.folder)).toBe(true);
          const at = waiting.findIndex(([awaited]) => awaited === point);
          const [first] = at < 0 ? [] : waiting.splice(at, 1);
          await first?.[1]();
        }),
        once: (point, action) => waiting.push([point, action]),
      });
      expect(waiting).toEqual([]);
    }
    expect([...reached].sort()).toEqual([...fileFaultPoints].sort());
  },
);

test("KIT-6 a throw at the middle of a write is a short write that failed; a wait delays; the names are those of the list", async () => {
  await using place = await openPlace();
  let armed = false;
  const points: string[] = [];
  const store = fileStoreAt(place, async (point) => {
    points.push(point);
    await new Promise((resolve) => setImmediate(resolve));
    if (armed && point === "journal-append half") throw systemError("ENOSPC");
  });
  const session = await store.acquire(runId);
  await saveUpTo(session, history, 0, 2);
  armed = true;
  const error = await rejectionOf("PULSE_STORE", saveUpTo(session, history, 2, 3));
  expect(error.details.systemCode).toBe("ENOSPC");
  expect(points).not.toContainEqual(expect.stringContaining("undefined"));
  expect(points.filter((point) => !fileFaultPoints.includes(point))).toEqual([]);
  await session.close();
  expect(await fileStore(place).catalog.read(runId)).toEqual(history.at(2));
});
