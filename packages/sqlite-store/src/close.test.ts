import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { expectRecord } from "./testing/expect-record.ts";
import { openPlace, rejectionOf } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";

test("STORE-2 closing the store ends what is being written, lets go of its runs and refuses what comes after", async () => {
  await using place = await openPlace();
  const store = place.open();
  const run = sample("order");
  const session = await store.acquire("order");
  await saveUpTo(session, run, 0, 1);
  const saving = session.save(run.at(2), 1, run.changesTo(2));
  // It is on its way when its turn has come.
  await Promise.resolve();
  await Promise.resolve();
  await Promise.all([store.close(), store.close()]);
  await saving;
  await store.close();
  for (const call of [
    () => session.save(run.at(3), 2, run.changesTo(3)),
    () => store.acquire("other"),
    () => store.catalog.count(),
    () => store.collect(),
  ]) {
    const error = await rejectionOf("PULSE_USAGE", call());
    expect(error.details.rule).toBe("STORE-2");
    expect(error.message).toContain("is closed");
  }
  await session.close();
  // The log goes with the last connection.
  expect(await readdir(place.folder)).toEqual(["runs.db"]);
  const next = place.open();
  await (await next.acquire("order")).close();
  await expectRecord(next, run, 2);
});

test("STORE-2 a store that was never used is closed without a trace", async () => {
  await using place = await openPlace();
  const store = place.open();
  await store.close();
  expect(await readdir(place.folder)).toEqual([]);
});
