import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isPulseError } from "@pulse-ts/core";
import type { Session } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { realPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import type { Step } from "./steps.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { fakeProcesses, onlyFile, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

const history = historyOf("order");

/** Makes every lock in the folder look as if its owner had shown no sign of life for an hour. */
async function ageLocks(folder: string): Promise<void> {
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of await readdir(join(folder, "locks"))) await utimes(join(folder, "locks", name), hourAgo, hourAgo);
}

/** A platform that stops at one kind of change until it is let go, as a process that was paused there. */
function pausingAt(step: Step): { platform: Platform; reached: Promise<void>; resume: () => void; arm: () => void } {
  let armed = false;
  let reach: () => void;
  let resume: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  const pause = async (now: Step): Promise<void> => {
    if (!armed || now !== step) return;
    reach();
    await resumed;
  };
  return {
    reached,
    resume: () => resume(),
    arm: () => (armed = true),
    platform: {
      ...realPlatform,
      async write(now, ...given) {
        await pause(now);
        await realPlatform.write(now, ...given);
      },
      async sync(now, file) {
        await pause(now);
        await realPlatform.sync(now, file);
      },
      async rename(now, from, to) {
        await pause(now);
        await realPlatform.rename(now, from, to);
      },
      async link(now, from, to) {
        await pause(now);
        await realPlatform.link(now, from, to);
      },
      async unlink(now, path) {
        await pause(now);
        await realPlatform.unlink(now, path);
      },
    },
  };
}

test(
  "FILE-3 of six that try at once for a run nobody has, a dead owner's run and a closed run, exactly one wins",
  { timeout: 300_000 },
  async () => {
    for (const before of ["nobody", "dead", "closed"] as const) {
      for (let round = 0; round < 8; round += 1) {
        await using place = await openPlace();
        const processes = fakeProcesses();
        const abandoned: Session[] = [];
        if (before !== "nobody") {
          const first = await openFileStore(place, processes.parts(1)).acquire("order");
          await saveUpTo(first, history, 0, 2);
          if (before === "closed") await first.close();
          else abandoned.push(first);
          processes.kill(1);
        }
        const tries = await Promise.allSettled(
          Array.from({ length: 6 }, async (_, number) => {
            return await openFileStore(place, processes.parts(2 + number)).acquire("order");
          }),
        );
        const won = tries.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
        const lost = tries.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
        expect(lost.filter((error) => !isPulseError(error, "PULSE_BUSY"))).toEqual([]);
        expect(won.length).toBe(1);
        const done = before === "nobody" ? 0 : 2;
        for (const session of won) {
          await saveUpTo(session, history, done, done + 1);
          await session.close();
        }
        expect(await readdir(join(place.folder, "locks"))).toEqual([]);
        // Nobody's any more: this only gives its open file back.
        for (const session of abandoned) await session.close();
      }
    }
  },
);

test(
  "STORE-6 FILE-3 an owner that is robbed while it is paused anywhere in a save cannot save; the new owner's saves stand",
  { timeout: 300_000 },
  async () => {
    for (const step of [
      "journal-append",
      "journal-sync",
      "snapshot-write",
      "snapshot-publish",
      "epoch-publish",
      "old-file-remove",
    ] as const) {
      for (const newOwnerSaves of [0, 1, 12]) {
        await using place = await openPlace();
        const processes = fakeProcesses();
        const options = { ...place, foldBytesMin: 3_000 };
        const pausing = pausingAt(step);
        const old = await openFileStore(options, { ...processes.strangerParts(1), platform: pausing.platform }).acquire(
          "order",
        );
        await saveUpTo(old, history, 0, 1);
        pausing.arm();
        let acknowledged = 1;
        const saving = (async () => {
          // As many as it takes: a fold that is paused does not stop the saves beside it.
          for (let revision = 2; ; revision += 1) {
            await saveUpTo(old, history, revision - 1, revision);
            acknowledged = revision;
          }
        })();
        await Promise.race([pausing.reached, saving]);

        const rival = openFileStore(options, processes.strangerParts(2));
        await rejectionOf("PULSE_BUSY", rival.acquire("order"));
        await ageLocks(place.folder);
        const session = await rival.acquire("order");
        const found = (await session.load()).header.revision;
        expect(found).toBeGreaterThanOrEqual(acknowledged);
        const seen = acknowledged;
        await saveUpTo(session, history, found, found + newOwnerSaves);

        pausing.resume();
        const lost = await rejectionOf("PULSE_OWNERSHIP_LOST", saving);
        expect(lost.details).toMatchObject({ runId: "order", next: "resume" });
        // Where it was paused after its save was confirmed, it may report that one, and none after it.
        expect(acknowledged).toBeLessThanOrEqual(Math.max(seen, found));
        await old.close();

        expect(await session.load()).toEqual(history.at(found + newOwnerSaves));
        await session.close();
        const third = await openFileStore(options, processes.strangerParts(3)).acquire("order");
        expect(await third.load()).toEqual(history.at(found + newOwnerSaves));
        await third.close();
      }
    }
  },
);

test("STORE-6 what a robbed owner still writes never counts, even when the new owner saves nothing and dies", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const old = await openFileStore(place, processes.strangerParts(1)).acquire("order");
  await saveUpTo(old, history, 0, 2);
  await ageLocks(place.folder);
  const rival = await openFileStore(place, processes.parts(2)).acquire("order");
  expect(await rival.load()).toEqual(history.at(2));
  await rejectionOf("PULSE_OWNERSHIP_LOST", saveUpTo(old, history, 2, 3));
  processes.kill(2);
  const third = await openFileStore(place, processes.parts(3)).acquire("order");
  expect(await third.load()).toEqual(history.at(2));
  await third.close();
  await Promise.all([old.close(), rival.close()]);
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(2));
});

test("FILE-3 a save that its owner could not confirm is made durable by the next owner before that one builds on it", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  let armed = false;
  const platform = faultyPlatform((step) =>
    armed && step === "journal-sync" ? { kind: "fail", code: "EIO" } : undefined,
  );
  const first = await openFileStore(place, { ...processes.parts(1), platform }).acquire("order");
  await saveUpTo(first, history, 0, 1);
  armed = true;
  await rejectionOf("PULSE_STORE", saveUpTo(first, history, 1, 2));
  processes.kill(1);
  const journal = await onlyFile(place.folder, "id-order", "journal-");
  const second = await openFileStore(place, processes.parts(2)).acquire("order");
  expect(await second.load()).toEqual(history.at(2));
  // The line that was never synced is lost with the power; what the second owner read of it is not.
  const bytes = await readFile(journal);
  await writeFile(journal, bytes.subarray(0, bytes.lastIndexOf("\n", bytes.length - 2) + 1));
  expect(await second.load()).toEqual(history.at(2));
  await saveUpTo(second, history, 2, 3);
  await Promise.all([first.close(), second.close()]);
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(3));
});

test("FILE-4 a loss of power that takes the names of unsaved epochs away leaves the run as it was", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin: 2_500 });
  const folding = historyOf("order", { nodesMax: 2 });
  let names: readonly string[] = [];
  const runFolder = join(place.folder, "runs", "id-order");
  let revision = 0;
  while (!names.some((name) => name.startsWith("snapshot-"))) {
    const session = await store.acquire("order");
    revision += 1;
    await saveUpTo(session, folding, revision - 1, revision);
    // Waits for the fold that it may have begun.
    await session.close();
    names = await readdir(runFolder);
  }
  // The epoch after the fold holds no save yet, so nothing has made its name durable.
  await rm(await onlyFile(place.folder, "id-order", "journal-"));
  const next = await store.acquire("order");
  expect(await next.load()).toEqual(folding.at(revision));
  await saveUpTo(next, folding, revision, revision + 1);
  await next.close();
  expect(await store.catalog.read("order")).toEqual(folding.at(revision + 1));
});

test("FILE-3 a journal whose first line the system lost was never saved to, and is passed over", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const first = await store.acquire("order");
  await saveUpTo(first, history, 0, 2);
  await first.close();
  const journal = await onlyFile(place.folder, "id-order", "journal-");
  await writeFile(journal.replace(/-1$/, "-2"), "");
  const next = await store.acquire("order");
  expect(await next.load()).toEqual(history.at(2));
  await saveUpTo(next, history, 2, 3);
  await next.close();
  expect(await store.catalog.read("order")).toEqual(history.at(3));
});

test("STORE-6 a run that was deleted and made anew is not the old owner's", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const old = await openFileStore(place, processes.strangerParts(1)).acquire("order");
  await saveUpTo(old, history, 0, 2);
  await ageLocks(place.folder);
  const rival = openFileStore(place, processes.parts(2));
  await rival.catalog.delete("order");
  const anew = await rival.acquire("order");
  await saveUpTo(anew, history, 0, 1);
  await rejectionOf("PULSE_OWNERSHIP_LOST", saveUpTo(old, history, 2, 3));
  await old.close();
  expect(await anew.load()).toEqual(history.at(1));
  await saveUpTo(anew, history, 1, 4);
  await anew.close();
  expect(await rival.catalog.read("order")).toEqual(history.at(4));
});

test("STORE-2 FILE-3 sessions that open and close at once, many times, never lose the run nor own it together", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  let owners = 0;
  let revision = 0;
  const contend = async (pid: number): Promise<void> => {
    const store = openFileStore({ ...place, foldBytesMin: 4_000 }, processes.parts(pid));
    for (let round = 0; round < 15; round += 1) {
      let session: Session;
      try {
        session = await store.acquire("order");
      } catch (error) {
        if (isPulseError(error, "PULSE_BUSY")) continue;
        throw error;
      }
      owners += 1;
      expect(owners).toBe(1);
      if (round % 3 > 0) {
        await saveUpTo(session, history, revision, revision + 1);
        revision += 1;
      }
      owners -= 1;
      await session.close();
    }
  };
  await Promise.all([1, 2, 3, 4].map(contend));
  expect(revision).toBeGreaterThan(0);
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(revision));
});
