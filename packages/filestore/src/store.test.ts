import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { everythingIn, fakeProcesses, openPlace, saveUpTo } from "./testing/place.ts";
import { firstRecord, historyOf } from "./testing/records.ts";

test("STORE-1 FILE-5 an error of a run that is owned names the process that owns it", async () => {
  await using place = await openPlace();
  const session = await fileStore(place).acquire("order");
  const error = await rejectionOf("PULSE_BUSY", fileStore(place).acquire("order"));
  expect(error.message).toContain(`process ${process.pid}`);
  await session.close();
});

test("STORE-3 a run that was never saved leaves nothing on disk, before and after another tried", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  for (let round = 0; round < 2; round += 1) {
    const session = await store.acquire("order");
    await rejectionOf("PULSE_NOT_FOUND", session.load());
    await session.close();
  }
  expect(await readdir(join(place.folder, "runs"))).toEqual([]);
  expect(await readdir(join(place.folder, "locks"))).toEqual([]);
  expect(await readdir(join(place.folder, "new"))).toEqual([]);
});

test("STORE-3 save compares revision and run id, and a conflict changes nothing on disk", async () => {
  await using place = await openPlace();
  const history = historyOf("order");
  const session = await fileStore(place).acquire("order");
  await rejectionOf("PULSE_CONFLICT", session.save(history.at(2), 1, history.changesTo(2)));
  await saveUpTo(session, history, 0, 2);
  const before = await everythingIn(place.folder);
  const next = history.at(3);
  for (const attempt of [
    () => session.save(next, 1, history.changesTo(3)),
    () => session.save(next, 3, history.changesTo(3)),
    () => session.save(history.at(2), 2, history.changesTo(2)),
    () => session.save(history.at(4), 2, history.changesTo(4)),
    () => session.save(historyOf("other").at(3), 2, historyOf("other").changesTo(3)),
  ]) {
    expect((await rejectionOf("PULSE_CONFLICT", attempt())).details).toMatchObject({ runId: "order", next: "resume" });
  }
  expect(await everythingIn(place.folder)).toEqual(before);
  await session.save(next, 2, history.changesTo(3));
  await session.close();
});

test("STORE-4 FILE-6 after a save that failed the session writes nothing more; the next load tells", async () => {
  await using place = await openPlace();
  const history = historyOf("order");
  let armed = false;
  const platform = faultyPlatform((step) =>
    armed && step === "journal-sync" ? { kind: "after", code: "EIO" } : undefined,
  );
  const session = await openFileStore(place, { platform }).acquire("order");
  await saveUpTo(session, history, 0, 1);
  armed = true;
  const failure = await rejectionOf("PULSE_STORE", session.save(history.at(2), 1, history.changesTo(2)));
  expect(failure.details).toMatchObject({ systemCode: "EIO", next: "mend-store" });
  armed = false;
  const before = await everythingIn(join(place.folder, "runs"));
  expect(await rejectionOf("PULSE_STORE", session.save(history.at(2), 1, history.changesTo(2)))).toBe(failure);
  await session.close();
  expect(await everythingIn(join(place.folder, "runs"))).toEqual(before);
  const next = await fileStore(place).acquire("order");
  expect(await next.load()).toEqual(history.at(2));
  await saveUpTo(next, history, 2, 3);
  await next.close();
});

test("STORE-4 an acquire whose signal is aborted already makes nothing on disk", async () => {
  await using place = await openPlace();
  const store = fileStore({ folder: join(place.folder, "runs") });
  const signal = AbortSignal.abort(new Error("before"));
  await expect(store.acquire("order", { signal })).rejects.toThrow("before");
  expect(await readdir(place.folder)).toEqual([]);
});

test("REC-24 FILE-4 a save writes what changed, and folding at most doubles it", async () => {
  await using place = await openPlace();
  let saved = 0;
  let folded = 0;
  const platform = faultyPlatform(() => undefined);
  const counting: typeof platform = {
    ...platform,
    async write(step, file, bytes, at) {
      if (step === "journal-append") saved += bytes.length;
      if (step === "snapshot-write") folded += bytes.length;
      await platform.write(step, file, bytes, at);
    },
  };
  const history = historyOf("order", { nodesMax: 50, valueBytes: 200 });
  const session = await openFileStore({ ...place, foldBytesMin: 1_000 }, { platform: counting }).acquire("order");
  const each: number[] = [];
  for (let revision = 1; revision <= 400; revision += 1) {
    const before = saved;
    await saveUpTo(session, history, revision - 1, revision);
    each.push(saved - before);
  }
  await session.close();
  expect(folded).toBeGreaterThan(0);
  // Each line of a snapshot has a checksum and a few words of its own, so a little more than the entries' weight.
  expect(folded).toBeLessThan(saved * 1.05);
  expect(Math.max(...each.slice(1))).toBeLessThan(2 * Math.min(...each));
});

test("REC-27 a first save whose changes lack the header is refused, since no load could ever succeed", async () => {
  await using place = await openPlace();
  const session = await fileStore(place).acquire("order");
  const { record } = firstRecord("order");
  expect((await rejectionOf("PULSE_USAGE", session.save(record, 0, []))).details.rule).toBe("REC-27");
  await session.close();
  expect(await fileStore(place).catalog.count()).toBe(0);
});

test("STORE-2 an epoch in which nothing was saved leaves nothing behind", async () => {
  await using place = await openPlace();
  const history = historyOf("order");
  const store = fileStore(place);
  const first = await store.acquire("order");
  await saveUpTo(first, history, 0, 2);
  await first.close();
  const before = await everythingIn(place.folder);
  for (let round = 0; round < 5; round += 1) {
    const session = await store.acquire("order");
    expect(await session.load()).toEqual(history.at(2));
    await session.close();
  }
  expect(await everythingIn(place.folder)).toEqual(before);
});

test("STORE-5 the run of a process that died can be acquired at once, and is whole", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const history = historyOf("order");
  const first = await openFileStore(place, processes.parts(1)).acquire("order");
  await saveUpTo(first, history, 0, 3);
  const second = openFileStore(place, processes.parts(2));
  await rejectionOf("PULSE_BUSY", second.acquire("order"));
  processes.kill(1);
  const session = await second.acquire("order");
  expect(await session.load()).toEqual(history.at(3));
  await saveUpTo(session, history, 3, 4);
  await session.close();
  await first.close();
});
