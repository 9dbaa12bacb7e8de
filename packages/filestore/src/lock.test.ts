import { spawnSync } from "node:child_process";
import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { openFileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { fakeProcesses, openPlace, saveUpTo } from "./testing/place.ts";
import { historyOf } from "./testing/records.ts";

afterEach(() => void vi.useRealTimers());

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

test("FILE-5 an owner gives signs of life as long as it holds a run, and none after that", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await using place = await openPlace();
  const session = await openFileStore(place, {}).acquire("order");
  const locks = join(place.folder, "locks");
  const [name = ""] = await readdir(locks);
  const lock = join(locks, name);
  for (let sign = 0; sign < 3; sign += 1) {
    await utimes(lock, new Date(0), new Date(0));
    vi.advanceTimersByTime(60_000);
    await vi.waitFor(async () => expect((await stat(lock)).mtimeMs).toBeGreaterThan(Date.now() - 60_000));
  }
  await session.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(await readdir(locks)).toEqual([]);
});

test("FILE-5 a program that ends without a close takes its lock with it, and has the exit code that Node gives it", async () => {
  await using place = await openPlace();
  const program = fileURLToPath(new URL("testing/child-unfinished.ts", import.meta.url));
  const flags = ["--conditions=@pulse-ts/source", "--import", "tsx"];
  const { status } = spawnSync(process.execPath, [...flags, program, place.folder], { stdio: "ignore" });
  // What waits for ever at the top level is no success.
  expect(status).toBe(13);
  expect(await readdir(join(place.folder, "locks"))).toEqual([]);
});
