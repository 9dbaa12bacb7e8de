import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { stoppedAt } from "./fault-points.ts";
import { fileStore, openFileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import type { Step } from "./steps.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { endingAt, faultyPlatform } from "./testing/faults.ts";
import { fakeProcesses, loadOrNothing, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const history = historyOf("order", { nodesMax: 3 });
/** Small enough that some of the saves fold. */
const foldBytesMin = 2_500;
const saves = 7;

test.each(["nothing", "half", "all"] as const)(
  "FILE-4 STORE-5 D3 a process that ends at any change of the disk, with %s of that change done, loses nothing that it was told is saved",
  { timeout: 300_000 },
  async (done) => {
    const reached = new Set<Step>();
    for (let number = 0, complete = false; !complete; number += 1) {
      await using place = await openPlace();
      const processes = fakeProcesses();
      const platform = endingAt(number, done);
      let acknowledged = 0;
      const dying: Session[] = [];
      try {
        const store = openFileStore({ ...place, foldBytesMin }, { ...processes.parts(1), platform });
        const session = await store.acquire("order");
        dying.push(session);
        for (let revision = 1; revision <= saves; revision += 1) {
          await saveUpTo(session, history, revision - 1, revision);
          acknowledged = revision;
        }
        // Not before the fold beside the saves has come to its end.
        await session.close();
      } catch (error) {
        if (!isPulseError(error, "PULSE_STORE")) throw error;
      }
      for (const step of platform.steps) reached.add(step);
      complete = platform.steps.length <= number;
      processes.kill(1);

      const session = await openFileStore({ ...place, foldBytesMin }, processes.parts(2)).acquire("order");
      const record = await loadOrNothing(session);
      const revision = record?.header.revision ?? 0;
      expect(record).toEqual(revision === 0 ? undefined : history.at(revision));
      // At most the one save in flight may be either way.
      expect([acknowledged, acknowledged + 1]).toContain(revision);
      await saveUpTo(session, history, revision, revision + 2);
      await session.close();
      expect(await fileStore(place).catalog.read("order")).toEqual(history.at(revision + 2));
      // Its disk does nothing any more; this only gives its open file back.
      for (const gone of dying) await gone.close();
    }
    expect([...reached]).toEqual(expect.arrayContaining(["run-publish", "journal-append", "snapshot-publish"]));
    expect([...reached]).toEqual(expect.arrayContaining(["epoch-publish", "old-file-remove", "snapshot-folder-sync"]));
  },
);

test("FILE-4 a fold that fails leaves the save confirmed and the session at work", async () => {
  const steps = [
    "snapshot-write",
    "snapshot-sync",
    "snapshot-publish",
    "snapshot-folder-sync",
    "epoch-publish",
  ] as const;
  for (const failing of steps) {
    await using place = await openPlace();
    const processes = fakeProcesses();
    const platform = faultyPlatform((step, number) =>
      step === failing && number > 12 ? { kind: "fail", code: "ENOSPC" } : undefined,
    );
    const session = await openFileStore({ ...place, foldBytesMin }, { ...processes.parts(1), platform }).acquire(
      "order",
    );
    await saveUpTo(session, history, 0, 20);
    expect(platform.steps.slice(13)).toContain(failing);
    expect(await session.load()).toEqual(history.at(20));
    await session.close();
    expect(await fileStore(place).catalog.read("order")).toEqual(history.at(20));
  }
});

test("FILE-4 REC-24 saves go on while a fold is at work, and none waits for it; what they change is not in it", async () => {
  await using place = await openPlace();
  const fold = signal();
  const reached = signal();
  const platform = stoppedAt(realPlatform, async (moment, { step }) => {
    if (step !== "snapshot-write" || moment !== "before") return;
    reached.give();
    await fold.given;
  });
  const session = await openFileStore({ ...place, foldBytesMin }, { platform }).acquire("order");
  await saveUpTo(session, history, 0, 60);
  await reached.given;
  // All of them are saved, and the fold has written nothing yet.
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(60));
  fold.give();
  await session.close();
  const names = await readdir(join(place.folder, "runs", "id-order"));
  const snapshots = names.filter((name) => name.startsWith("snapshot-"));
  expect(snapshots.length).toBe(1);
  expect(Number(snapshots[0]?.split("-")[2])).toBeLessThan(60);
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(60));
  const next = await fileStore({ ...place, foldBytesMin: 0 }).acquire("order");
  expect(await next.load()).toEqual(history.at(60));
  await saveUpTo(next, history, 60, 61);
  await next.close();
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(61));
});

test("FILE-2 FILE-4 what is damaged before it is folded is not folded: every file stays, and the next load tells", async () => {
  await using place = await openPlace();
  let damaged: string | undefined;
  const platform = stoppedAt(realPlatform, async (moment, { step }) => {
    if (step !== "snapshot-create" || moment !== "before" || damaged !== undefined) return;
    damaged = join(place.folder, "runs", "id-order", (await journalsIn(place.folder))[0] ?? "");
    const bytes = await readFile(damaged);
    const at = bytes.indexOf("node/");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await writeFile(damaged, bytes);
  });
  const session = await openFileStore({ ...place, foldBytesMin }, { platform }).acquire("order");
  await saveUpTo(session, history, 0, 20);
  await session.close();
  expect((await journalsIn(place.folder))[0]).toBe(damaged?.split("/").at(-1));
  expect(await readdir(join(place.folder, "new"))).toEqual([]);
  const error = await rejectionOf("PULSE_CORRUPT", fileStore(place).catalog.read("order"));
  expect(error.details.where).toBe(`${damaged}:2`);
});

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}

/** The journals of the run, the oldest first. */
const journalsIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(join(folder, "runs", "id-order"))).filter((name) => name.startsWith("journal-")).sort();

test("FILE-4 a folded run has one snapshot and one journal, and nothing staged is left", async () => {
  await using place = await openPlace();
  const session = await fileStore({ ...place, foldBytesMin }).acquire("order");
  await saveUpTo(session, history, 0, 30);
  await session.close();
  const names = (await readdir(join(place.folder, "runs", "id-order"))).map((name) => name.split("-")[0]);
  expect(names.sort()).toEqual(["journal", "run", "snapshot"]);
  expect(await readdir(join(place.folder, "new"))).toEqual([]);
});

test("FILE-4 many sessions that save a little are folded too: files do not pile up", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin: 65_536 });
  for (let revision = 1; revision <= 40; revision += 1) {
    const session = await store.acquire("order");
    await saveUpTo(session, history, revision - 1, revision);
    await session.close();
  }
  // A file takes a block of 4 KiB at least, so 16 of them reach the limit.
  expect((await readdir(join(place.folder, "runs", "id-order"))).length).toBeLessThanOrEqual(19);
  expect(await store.catalog.read("order")).toEqual(history.at(40));
});

test("FILE-2 STORE-9 a snapshot that is damaged, cut or newer is refused with file and line", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin });
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 12);
  await session.close();
  const snapshot = await onlyFile(place.folder, "id-order", "snapshot-");
  const bytes = await readFile(snapshot);
  const lines = bytes.toString().trimEnd().split("\n");
  for (let at = 0; at < bytes.length; at += 11) {
    if (bytes[at] === 0x0a) continue;
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(snapshot, damaged);
    const line = bytes.subarray(0, at).toString().split("\n").length;
    const error = await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"));
    expect(error.details.where).toBe(`${snapshot}:${line}`);
  }
  await writeFile(snapshot, `${lines.slice(0, -1).join("\n")}\n`);
  expect((await rejectionOf("PULSE_CORRUPT", store.catalog.read("order"))).message).toContain(
    "the end of the snapshot",
  );
  await writeFile(snapshot, bytes.toString().replace("pulse-snapshot/1", "pulse-snapshot/2"));
  await rejectionOf("PULSE_NEWER_FORMAT", store.catalog.read("order"));
  await writeFile(snapshot, bytes);
  expect(await store.catalog.read("order")).toEqual(history.at(12));
});
