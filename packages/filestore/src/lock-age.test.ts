import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { fakeProcesses, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

test("FILE-5 a lock whose owner cannot be judged is kept until it is stale by time", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const history = historyOf("order");
  const first = await openFileStore(place, processes.strangerParts(1)).acquire("order");
  await saveUpTo(first, history, 0, 1);
  // Known dead to those who could see it, but not from here.
  processes.kill(1);
  const second = openFileStore(place, processes.parts(2));
  await rejectionOf("PULSE_BUSY", second.acquire("order"));
  const locks = join(place.folder, "locks");
  const [lock = ""] = await readdir(locks);
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(locks, lock), hourAgo, hourAgo);
  const session = await second.acquire("order");
  expect(await session.load()).toEqual(history.at(1));
  await Promise.all([session.close(), first.close()]);
});

test("FILE-5 a lock whose owner is alive is never taken, however old it is", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const first = await openFileStore(place, processes.parts(1)).acquire("order");
  const locks = join(place.folder, "locks");
  for (const name of await readdir(locks)) await utimes(join(locks, name), new Date(0), new Date(0));
  const error = await rejectionOf("PULSE_BUSY", openFileStore(place, processes.parts(2)).acquire("order"));
  expect(error.details.holder).toContain("process 1 on ");
  await first.close();
});
