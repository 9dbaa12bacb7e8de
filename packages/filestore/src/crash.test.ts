import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { expectRecord } from "./testing/expect-record.ts";
import { openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";
import { seeded } from "./testing/seeded.ts";
import { childHistory, spawnOwner } from "./testing/spawn.ts";
import type { Owner } from "./testing/spawn.ts";

const runId = "order";
const history = historyOf(runId, { nodesMax: 20 });
/** With contents in it. */
const mixed = childHistory(runId, "mixed");
/** Folds every few saves, so that a kill meets a fold often. */
const foldBytesMin = 6_000;

/** For how many milliseconds an event loop is blocked: `PULSE_BLOCK_MS` gives another number than the usual one. */
const blockMs = Number(process.env["PULSE_BLOCK_MS"] ?? 3_000);

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

/** How many rounds: `PULSE_ROUNDS` gives another number than the usual one. */
const roundsOf = (usual: number): number => Number(process.env["PULSE_ROUNDS"] ?? usual);

async function acquire(owner: Owner): Promise<string> {
  owner.tell({ kind: "acquire", runId });
  const answer = await owner.answer();
  return answer.kind === "failed" ? answer.code : answer.kind;
}

async function ageLocks(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, "locks"))) await utimes(join(folder, "locks", name), 1, 1);
}

test(
  "FILE-5 STORE-5 an owner whose event loop is blocked keeps its run however long; killed, it is taken over at once",
  { timeout: 120_000 },
  async () => {
    await using place = await openPlace();
    const store = fileStore(place);
    await using owner = await spawnOwner({ ...place });
    expect(await acquire(owner)).toBe("acquired");
    owner.tell({ kind: "save", runId, from: 0, to: 3 });
    expect((await owner.answer()).kind).toBe("done");
    owner.tell({ kind: "block", runId });
    expect((await owner.answer()).kind).toBe("blocked");
    // As after any time: its lock shows no sign of life any more.
    await ageLocks(place.folder);
    const error = await rejectionOf("PULSE_BUSY", store.acquire(runId));
    expect(error.details.holder).toContain(`process ${owner.pid} on`);
    await owner.kill();
    const session = await store.acquire(runId);
    expect(await session.load()).toEqual(history.at(3));
    await session.close();
    expect(await readdir(join(place.folder, "locks"))).toEqual([]);
  },
);

test(
  "FILE-5 STORE-5 an event loop that is blocked and goes on has lost nothing: what it was saving is saved, and it saves on",
  { timeout: 120_000 + blockMs },
  async () => {
    await using place = await openPlace();
    const store = fileStore(place);
    await using owner = await spawnOwner({ ...place, values: "mixed" });
    expect(await acquire(owner)).toBe("acquired");
    owner.tell({ kind: "save", runId, from: 0, to: 200 });
    await owner.saved(5);
    owner.tell({ kind: "block", runId, ms: blockMs });
    expect((await owner.answer()).kind).toBe("blocked");
    const before = owner.acknowledged;
    expect(before).toBeLessThan(200);
    // Its lock shows no sign of life, and still nobody takes the run, as long as it takes.
    for (let answered = false; !answered;) {
      await ageLocks(place.folder);
      await rejectionOf("PULSE_BUSY", store.acquire(runId));
      answered = await Promise.race([owner.answered().then(() => true), turn().then(() => false)]);
    }
    // That it is no longer blocked, and that it has saved all.
    expect((await owner.answer()).kind).toBe("done");
    expect((await owner.answer()).kind).toBe("done");
    expect(owner.acknowledged).toBe(200);
    await expectRecord(store, await store.catalog.read(runId), mixed.at(200));
    await owner.kill();
    const session = await store.acquire(runId);
    await expectRecord(store, await session.load(), mixed.at(200));
    await session.close();
  },
);

test(
  "STORE-6 STORE-8 KIT-3 an owner that was stopped anywhere, robbed and continued saves nothing; the new owner's saves stand",
  { timeout: 120_000 + 8_000 * roundsOf(0) },
  async () => {
    await using place = await openPlace();
    const random = seeded();
    const store = fileStore({ ...place, foldBytesMin });
    for (let round = 0; round < roundsOf(2); round += 1) {
      const first = (await store.catalog.count()) === 0 ? 0 : (await store.catalog.read(runId)).header.revision;
      await using owner = await spawnOwner({ ...place, foldBytesMin, stranger: "elsewhere", values: "mixed" });
      expect(await acquire(owner)).toBe("acquired");
      owner.tell({ kind: "save", runId, from: first, to: first + 100_000 });
      await owner.saved(first + 1 + random(40));
      owner.signal("SIGSTOP");
      await ageLocks(place.folder);
      // It may have shown one last sign of life while the signal was on its way; then it is asked again.
      let session = await store.acquire(runId).catch(() => undefined);
      while (session === undefined) {
        await ageLocks(place.folder);
        session = await store.acquire(runId).catch(() => undefined);
      }
      const found = (await session.load()).header.revision;
      await saveUpTo(session, mixed, found, found + 2);
      owner.signal("SIGCONT");
      expect(await owner.answer()).toMatchObject({ kind: "failed", code: "PULSE_OWNERSHIP_LOST" });
      expect(owner.acknowledged).toBeLessThanOrEqual(found);
      await saveUpTo(session, mixed, found + 2, found + 4);
      owner.tell({ kind: "close", runId });
      expect((await owner.answer()).kind).toBe("done");
      await expectRecord(store, await session.load(), mixed.at(found + 4));
      await session.close();
      await expectRecord(store, await store.catalog.read(runId), mixed.at(found + 4));
      // Contents that only the old owner named are no part of the record, and may go.
      await store.collect({ windowMs: 0 });
      await expectRecord(store, await store.catalog.read(runId), mixed.at(found + 4));
    }
  },
);

test(
  "FILE-3 STORE-1 D2 of six processes that try for a dead owner's run at one moment exactly one wins, each round",
  { timeout: 180_000 + 8_000 * roundsOf(0) },
  async () => {
    await using place = await openPlace();
    const random = seeded();
    const owners = await Promise.all(
      Array.from({ length: 6 }, async () => await spawnOwner({ ...place, foldBytesMin })),
    );
    try {
      let revision = 0;
      for (let round = 0; round < roundsOf(25); round += 1) {
        const ghost = owners[random(6)];
        ghost?.tell({ kind: "abandon", runId });
        expect(await ghost?.answer()).toEqual({ kind: "done" });
        const answers = await Promise.all(owners.map(acquire));
        expect(answers.filter((answer) => answer === "acquired").length).toBe(1);
        expect(answers.filter((answer) => answer === "PULSE_BUSY").length).toBe(5);
        const winner = owners[answers.indexOf("acquired")];
        winner?.tell({ kind: "save", runId, from: revision + 1, to: revision + 2 });
        expect(await winner?.answer()).toEqual({ kind: "done" });
        revision += 2;
        winner?.tell({ kind: "close", runId });
        expect(await winner?.answer()).toEqual({ kind: "done" });
      }
      // And once with a process that really dies.
      const [first, ...others] = owners;
      if (first === undefined) throw new Error("there are six");
      expect(await acquire(first)).toBe("acquired");
      await first.kill();
      const answers = await Promise.all(others.map(acquire));
      expect([...answers].sort()).toEqual(["PULSE_BUSY", "PULSE_BUSY", "PULSE_BUSY", "PULSE_BUSY", "acquired"]);
      expect(await fileStore(place).catalog.read(runId)).toEqual(history.at(revision));
    } finally {
      await Promise.all(owners.map(async (owner) => await owner.kill()));
    }
  },
);
