import { join } from "node:path";
import { expect, test } from "vitest";
import { staleMsMin } from "./options.ts";
import { saveRun } from "./testing/expect-record.ts";
import { fakeProcesses, openPlace, rejectionOf } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";
import { sqliteFaultPoints, sqliteStoreAt } from "./testing.ts";

test("KIT-2 every point that is named is reached, before and after, and no other", async () => {
  await using place = await openPlace();
  const reached = new Set<string>();
  let answered = (): void => undefined;
  const answer = new Promise<void>((resolve) => (answered = resolve));
  const at = (point: string): void => {
    reached.add(point);
    if (point === "owner-answer after") answered();
  };
  const processes = fakeProcesses();
  const strange = place.open({ ...processes.strangerParts(1), at }, { staleMs: staleMsMin });
  const run = sample("order", { bytesAt: () => new Uint8Array(20_000) });
  const session = await strange.acquire("order");
  // Enough pages in the log that they are moved.
  const filling = sample("filling", {
    bytesAt: (revision) => new Uint8Array(Buffer.alloc(120_000, `${revision} `)),
    nodesMax: 3,
  });
  await saveRun(strange, filling, 64);
  await saveUpTo(session, run, 0, 3);
  // A content that another run has put.
  await saveRun(strange, sample("another", { bytesAt: () => new Uint8Array(20_000) }), 1);
  const { header, ...maps } = await session.load();
  const [ids] = maps.attempts.keys();
  const attempts = new Map([...maps.attempts].filter(([key]) => key !== ids));
  await session.save({ header: { ...header, revision: 4 }, ...maps, attempts }, 3, [
    { kind: "delete", key: `attempt/${ids}` },
  ]);
  const store = place.open({ ...processes.parts(2), at }, { staleMs: staleMsMin });
  await rejectionOf("PULSE_BUSY", store.acquire("order"));
  await answer;
  await session.close();
  await store.catalog.delete("order");
  await store.collect({ windowMs: 0 });
  await store.backup(join(place.folder, "copy.db"));
  expect([...reached].toSorted()).toEqual([...sqliteFaultPoints].toSorted());
});

test("KIT-6 what is thrown at a point is what the caller is told of the database", async () => {
  await using place = await openPlace();
  const store = sqliteStoreAt({ file: place.file }, (point) => {
    if (point === "run-insert after") throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  const run = sample("order");
  const session = await store.acquire("order");
  const error = await rejectionOf("PULSE_STORE", session.save(run.at(1), 0, run.changesTo(1)));
  expect(error.message).toContain("the disk is full; free some space, then resume (ENOSPC)");
  expect(error.details.systemCode).toBe("ENOSPC");
  await session.close();
  expect(await store.catalog.count()).toBe(0);
  await store.close();
});
