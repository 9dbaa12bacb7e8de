import { PulseError } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { rejectionOf } from "../testing/error-of.ts";
import { gate, saveAfter, toldAdapter } from "../testing/told-adapter.ts";
import { defineStore } from "./define-store.ts";
import { busy, ownershipLost } from "./store-errors.ts";

const full = Object.assign(new Error("SQLITE_FULL: database or disk is full"), { code: "SQLITE_FULL" });

test("STORE-1 what the medium throws is told with what was done, what helps and the system's own code", async () => {
  const adapter = toldAdapter(
    {
      save: () => Promise.reject(full),
      load: () => Promise.reject(full),
      release: () => Promise.reject(full),
    },
    { explain: () => ({ found: "the disk is full; free some space, then resume", systemCode: "SQLITE_FULL" }) },
  );
  const session = await defineStore(adapter).acquire("run");
  const calls = {
    loading: () => session.load(),
    saving: () => saveAfter(session, 0),
    closing: () => session.close(),
  };
  for (const [doing, call] of Object.entries(calls)) {
    const error = await rejectionOf("PULSE_STORE", call());
    expect(error.message).toBe(
      `${doing} run "run": the disk is full; free some space, then resume; at the test's medium`,
    );
    expect(error.details).toEqual({
      runId: "run",
      next: "mend-store",
      medium: "the test's medium",
      systemCode: "SQLITE_FULL",
    });
    expect(error.cause).toBe(full);
  }
});

test("STORE-1 an error that is Pulse's own, or not the medium's, goes on as it is", async () => {
  const thrown: readonly unknown[] = [busy("acquiring", "run", "process 7"), new TypeError("a mistake"), "a text"];
  for (const each of thrown) {
    const adapter = toldAdapter({}, { own: () => Promise.reject(each), explain: () => undefined });
    await expect(defineStore(adapter).acquire("run")).rejects.toBe(each);
  }
});

test("STORE-1 without `explain` every error is the medium's", async () => {
  const adapter = toldAdapter({}, { own: () => Promise.reject(full) });
  const error = await rejectionOf("PULSE_STORE", defineStore(adapter).acquire("run"));
  expect(error.message).toContain('acquiring run "run": the medium failed; look at the cause, mend it, then resume');
  expect(error.cause).toBe(full);
});

test("STORE-1 what cannot be a run id is refused before the medium is asked", async () => {
  const adapter = toldAdapter();
  for (const runId of ["", "\uD800", 7 as unknown as string]) {
    await rejectionOf("PULSE_INVALID", defineStore(adapter).acquire(runId));
  }
  expect(adapter.asked).toEqual([]);
});

test("STORE-1 an acquire that is aborted ends at once, and what is owned too late is given back", async () => {
  const [owning, released] = [gate(), gate()];
  const adapter = toldAdapter({ release: async () => released.open() }, { own: () => owning.opened });
  const abort = new AbortController();
  const acquired = defineStore(adapter).acquire("run", { signal: abort.signal });
  abort.abort("enough");
  await expect(acquired).rejects.toBe("enough");
  expect(adapter.asked).toEqual(["own run"]);
  owning.open();
  await released.opened;
  expect(adapter.asked).toEqual(["own run", "release clean"]);
  await expect(defineStore(adapter).acquire("run", { signal: abort.signal })).rejects.toBe("enough");
  expect(adapter.asked).toHaveLength(2);
});

test("STORE-6 who lost a run is told what he was doing", () => {
  expect(ownershipLost("run").message).toMatch(/^saving run "run": somebody else took it over;/u);
  expect(ownershipLost("run", 3, "loading").message).toMatch(/^loading run "run": .* from epoch 3;/u);
  expect(ownershipLost("run")).toBeInstanceOf(PulseError);
});

test("STORE-2 closing the store closes the adapter, if it has anything to close", async () => {
  let closed = 0;
  const store = defineStore({ ...toldAdapter(), close: async () => void (closed += 1) });
  await store.close?.();
  expect(closed).toBe(1);
  await defineStore(toldAdapter()).close?.();
  expect(defineStore(toldAdapter()).catalog).toBe(undefined);
});
