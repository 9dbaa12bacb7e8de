import { expect, test } from "vitest";
import { idleHost } from "./idle-host.ts";

const later = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test("DUR-17 time jumps from timer to timer when nothing is at work, in order of time", async () => {
  const host = idleHost({ busy: () => false, activity: () => 0, seed: 1 });
  const began = host.now();
  const fired: number[] = [];
  await new Promise<void>((resolve) => {
    for (const ms of [3_600_000, 5, 86_400_000]) {
      host.setTimer(() => {
        fired.push(host.now() - began);
        if (fired.length === 3) resolve();
      }, ms);
    }
  });
  expect(fired).toEqual([5, 3_600_000, 86_400_000]);
});

test("DUR-17 time stands still while a store is at work, and while bodies start", async () => {
  let busy = true;
  let bodies = 0;
  const host = idleHost({ busy: () => busy, activity: () => bodies, seed: 1 });
  let fired = false;
  const over = new Promise<void>((resolve) => {
    host.setTimer(() => {
      fired = true;
      resolve();
    }, 1);
  });
  for (let turn = 0; turn < 100; turn += 1) await later();
  expect(fired).toBe(false);
  busy = false;
  for (let turn = 0; turn < 100; turn += 1) {
    bodies += 1;
    await later();
  }
  expect(fired).toBe(false);
  await over;
  expect(fired).toBe(true);
});

test("DUR-17 a timer that was cleared does not fire", async () => {
  const host = idleHost({ busy: () => false, activity: () => 0, seed: 1 });
  let fired = false;
  host.clearTimer(host.setTimer(() => (fired = true), 1));
  await new Promise<void>((resolve) => void host.setTimer(resolve, 2));
  expect(fired).toBe(false);
});
