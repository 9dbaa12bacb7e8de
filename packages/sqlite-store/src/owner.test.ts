import { expect, test } from "vitest";
import { staleMsDefault } from "./options.ts";
import { expectRecord } from "./testing/expect-record.ts";
import { everythingIn, fakeProcesses, openPlace, rejectionOf, sqliteError } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";

test("STORE-1 FILE-5 a run whose owner lives is busy at once and for good, by whatever store on the file; other runs are free", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  let now = 0;
  const session = await place.open(processes.parts(1)).acquire("order");
  const other = place.open({ ...processes.parts(2), now: () => now });
  const error = await rejectionOf("PULSE_BUSY", other.acquire("order"));
  expect(error.details).toMatchObject({ runId: "order", next: "later" });
  expect(error.message).toContain("process 1 on");
  now = 1_000 * staleMsDefault;
  await rejectionOf("PULSE_BUSY", other.acquire("order"));
  await rejectionOf("PULSE_BUSY", other.catalog.delete("order"));
  await (await other.acquire("other")).close();
  await session.close();
  await (await other.acquire("order")).close();
});

test("STORE-1 a second session of the same process is busy, also through another store object on the file", async () => {
  await using place = await openPlace();
  const session = await place.open().acquire("order");
  const other = place.open();
  expect((await rejectionOf("PULSE_BUSY", other.acquire("order"))).message).toContain(`process ${process.pid}`);
  await session.close();
  await (await other.acquire("order")).close();
});

test("STORE-5 FILE-5 the run of an owner that is dead is taken at once, and it can save nothing more", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const run = sample("order");
  const old = await place.open(processes.parts(1)).acquire("order");
  await saveUpTo(old, run, 0, 2);
  processes.kill(1);
  const store = place.open(processes.parts(2));
  const session = await store.acquire("order");
  await saveUpTo(session, run, 2, 3);
  const error = await rejectionOf("PULSE_OWNERSHIP_LOST", old.save(run.at(3), 2, run.changesTo(3)));
  expect(error.details).toMatchObject({ runId: "order", next: "resume" });
  await old.close();
  // Letting go of what it has lost takes nothing from the new owner.
  await rejectionOf("PULSE_BUSY", place.open(processes.parts(3)).acquire("order"));
  await saveUpTo(session, run, 3, 4);
  await expectRecord(store, run, 4);
});

test("STORE-5 of several that try for a dead owner's run one gets it", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  await place.open(processes.parts(1)).acquire("order");
  processes.kill(1);
  const tries = [2, 3, 4, 5, 6, 7].map(async (pid) => await place.open(processes.parts(pid)).acquire("order"));
  const outcomes = await Promise.allSettled(tries);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "PULSE_BUSY" });
  }
});

test("SQL-4 FILE-5 an owner that cannot be judged is asked for a sign of life, and loses its run when it has given none in time", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const run = sample("order");
  let now = 1_000_000;
  const stranger = place.open({ ...processes.strangerParts(1), now: () => now });
  const old = await stranger.acquire("order");
  await saveUpTo(old, run, 0, 1);
  const store = place.open({ ...processes.parts(2), now: () => now });
  await rejectionOf("PULSE_BUSY", store.acquire("order"));
  now += staleMsDefault - 1;
  await rejectionOf("PULSE_BUSY", store.acquire("order"));
  now += 1;
  const session = await store.acquire("order");
  await saveUpTo(session, run, 1, 2);
  const error = await rejectionOf("PULSE_OWNERSHIP_LOST", old.save(run.at(2), 1, run.changesTo(2)));
  expect(error.details.next).toBe("resume");
});

test("SQL-4 FILE-5 an owner that cannot be judged and answers keeps its run, and nothing is written for it while nobody asks", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  let now = 1_000_000;
  let tell = (): void => undefined;
  const answered = new Promise<void>((resolve) => (tell = resolve));
  const points: string[] = [];
  const stranger = place.open(
    {
      ...processes.strangerParts(1),
      now: () => now,
      at: (point) => {
        points.push(point);
        if (point === "owner-answer after") tell();
      },
    },
    { staleMs: 2_000 },
  );
  await stranger.acquire("order");
  points.length = 0;
  const store = place.open({ ...processes.parts(2), now: () => now }, { staleMs: 2_000 });
  await rejectionOf("PULSE_BUSY", store.acquire("order"));
  expect(points).toEqual([]);
  // Its store looks several times within staleMs of the clock on the wall.
  await answered;
  now += 2_000;
  await rejectionOf("PULSE_BUSY", store.acquire("order"));
});

test("STORE-2 STORE-4 a release that the disk refuses is told; this process can take the run again, and the row goes with the next write", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  let failing = false;
  const store = place.open({
    ...processes.parts(1),
    at: (point) => {
      if (failing && point === "owner-release before") throw sqliteError("SQLITE_FULL");
    },
  });
  const session = await store.acquire("order");
  failing = true;
  const error = await rejectionOf("PULSE_STORE", session.close());
  expect(error.message).toContain('closing run "order": the disk is full');
  const other = place.open(processes.parts(2));
  await rejectionOf("PULSE_BUSY", other.acquire("order"));
  failing = false;
  await (await store.acquire("another")).close();
  await (await other.acquire("order")).close();
});

test("STORE-2 a session that is closed after a save that failed lets go without a second error", async () => {
  await using place = await openPlace();
  let failing = false;
  const store = place.open({
    at: () => {
      if (failing) throw sqliteError("SQLITE_FULL");
    },
  });
  const run = sample("order");
  const session = await store.acquire("order");
  failing = true;
  await rejectionOf("PULSE_STORE", session.save(run.at(1), 0, run.changesTo(1)));
  expect(await session.close()).toBe(undefined);
  failing = false;
  await (await store.acquire("order")).close();
});

test("STORE-6 an epoch is never used again, also when its run was deleted and made anew", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const run = sample("order");
  const old = await place.open(processes.parts(1)).acquire("order");
  await saveUpTo(old, run, 0, 1);
  processes.kill(1);
  const store = place.open(processes.parts(2));
  await store.catalog.delete("order");
  const session = await store.acquire("order");
  await saveUpTo(session, run, 0, 1);
  await rejectionOf("PULSE_OWNERSHIP_LOST", old.save(run.at(2), 1, run.changesTo(2)));
  await expectRecord(store, run, 1);
});

test("STORE-6 SQL-2 an owner that is robbed before any point of its save saves nothing, or has saved before", async () => {
  let reached = 0;
  for (let robAt = 0, complete = false; !complete; robAt += 1) {
    await using place = await openPlace();
    const processes = fakeProcesses();
    const run = sample("order", { bytesAt: (revision) => new Uint8Array(Buffer.alloc(17_000, `${revision}`)) });
    let number = 0;
    let robbed = false;
    const old = place.open({
      ...processes.parts(1),
      at: (point) => {
        if (robbed || !armed || point !== "begin before") return;
        robbed = number === robAt;
        number += 1;
        if (!robbed) return;
        // The only place in a save where anybody can come in between: before it holds the lock.
        const raw = place.raw();
        raw.exec("DELETE FROM owner");
        raw.exec(`INSERT INTO owner (sort, holder) VALUES (x'00', '{}')`);
      },
    });
    let armed = false;
    const session = await old.acquire("order");
    armed = true;
    let acknowledged = 0;
    try {
      for (; acknowledged < 3; acknowledged += 1) await saveUpTo(session, run, acknowledged, acknowledged + 1);
      complete = true;
    } catch (error) {
      expect(error).toMatchObject({ code: "PULSE_OWNERSHIP_LOST" });
      reached += 1;
      expect(acknowledged).toBe(robAt);
    }
    const reader = place.open(processes.parts(2));
    if (acknowledged > 0) await expectRecord(reader, run, acknowledged);
    else expect(await reader.catalog.count()).toBe(0);
    const before = await everythingIn(place.folder);
    if (!complete) await rejectionOf("PULSE_OWNERSHIP_LOST", session.save(run.at(9), 8, run.changesTo(9)));
    expect(await everythingIn(place.folder)).toEqual(before);
  }
  expect(reached).toBe(3);
});
