import { expect, test } from "vitest";
import { memoryStore } from "./memory-store.ts";
import { attemptKey, headerKey } from "./record/entry-key.ts";
import { entriesOf } from "./record/fold.ts";
import { liveRecord } from "./record/live-record.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { idOf, rootAttempt, sampleHeader, sampleRecord } from "./testing/sample-record.ts";
import type { RecordChanges, RunRecord } from "./record/format.ts";
import type { Session } from "./store.ts";

const first = sampleRecord();
const saveFirst = (session: Session, record: RunRecord = first): Promise<void> =>
  session.save(record, 0, entriesOf(record));
const withRevision = (revision: number): RunRecord => sampleRecord({ header: { revision } });
const headerPut = (record: RunRecord): RecordChanges => [{ kind: "put", key: headerKey, entry: record.header }];

test("STORE-1 a run that is owned is busy at once, another run is not", async () => {
  const store = memoryStore();
  const session = await store.acquire("run");
  const busy = await rejectionOf("PULSE_BUSY", store.acquire("run"));
  expect(busy.details).toMatchObject({ runId: "run", next: "later" });
  await (await store.acquire("other")).close();
  await session.close();
  await (await store.acquire("run")).close();
});

test("STORE-2 a closed session refuses load and save, and closing again releases nobody else's run", async () => {
  const store = memoryStore();
  const session = await store.acquire("run");
  await saveFirst(session);
  await session.close();
  const next = await store.acquire("run");
  await session.close();
  expect((await rejectionOf("PULSE_USAGE", session.load())).details.rule).toBe("STORE-2");
  await rejectionOf("PULSE_USAGE", session.save(withRevision(2), 1, []));
  await rejectionOf("PULSE_BUSY", store.acquire("run"));
  expect(await next.load()).toStrictEqual(first);
});

test("STORE-3 a run that was never saved is not found", async () => {
  const session = await memoryStore().acquire("run");
  expect((await rejectionOf("PULSE_NOT_FOUND", session.load())).details.next).toBe("start");
});

test("STORE-3 what is loaded, and what was saved, shares nothing with the store", async () => {
  const session = await memoryStore().acquire("run");
  const record = sampleRecord({ header: { later: { tags: ["a"] } } });
  await saveFirst(session, record);
  (record.header["later"] as { tags: string[] }).tags.push("b");
  const loaded = await session.load();
  expect(loaded.header["later"]).toStrictEqual({ tags: ["a"] });
  (loaded.attempts as Map<string, unknown>).set("x", {});
  expect((await session.load()).attempts.size).toBe(0);
});

test("STORE-3 a save compares revision and run id, and a conflict changes nothing", async () => {
  const session = await memoryStore().acquire("run");
  await rejectionOf("PULSE_CONFLICT", session.save(withRevision(2), 1, headerPut(withRevision(2))));
  await rejectionOf("PULSE_NOT_FOUND", session.load());
  await saveFirst(session);
  const conflicts: readonly (readonly [RunRecord, number])[] = [
    [first, 0],
    [withRevision(3), 2],
    [withRevision(3), 1],
    [withRevision(1), 1],
    [sampleRecord({ header: { revision: 2, runId: "other" } }), 1],
  ];
  for (const [next, expected] of conflicts) {
    await rejectionOf("PULSE_CONFLICT", session.save(next, expected, headerPut(next)));
    expect(await session.load()).toStrictEqual(first);
  }
});

test("STORE-3 the revision cannot overflow", async () => {
  const session = await memoryStore().acquire("run");
  const next = withRevision(Number.MAX_SAFE_INTEGER + 1);
  const error = await rejectionOf("PULSE_CONFLICT", session.save(next, Number.MAX_SAFE_INTEGER, headerPut(next)));
  expect(error.details.next).toBe("resume");
});

test("REC-24 REC-25 a save writes its changes alone, and the record read back is their fold, its revision too", async () => {
  const session = await memoryStore().acquire("run");
  await saveFirst(session);
  const live = liveRecord(await session.load());
  const draft = live.draft();
  draft.add([{ kind: "put", key: attemptKey(idOf("a")), entry: rootAttempt("price") }]);
  expect(draft.changes().map(({ key }) => key)).toStrictEqual([attemptKey(idOf("a"))]);
  await session.save(draft.record, 1, draft.changes());
  draft.confirm();
  const loaded = await session.load();
  expect(loaded.header.revision).toBe(2);
  expect(entriesOf(loaded)).toStrictEqual(entriesOf(live.confirmed.record));
});

test("STORE-4 REC-15 a save with an entry that cannot be written keeps none of it", async () => {
  const session = await memoryStore().acquire("run");
  await saveFirst(session);
  const next = sampleRecord({ header: { revision: 2, failure: "\uD800" } });
  const changes: RecordChanges = [
    { kind: "put", key: attemptKey(idOf("a")), entry: rootAttempt("price") },
    ...headerPut(next),
  ];
  const error = await rejectionOf("PULSE_USAGE", session.save(next, 1, changes));
  expect(error.details.rule).toBe("REC-15");
  expect(await session.load()).toStrictEqual(first);
});

test("STORE-7 the catalogue lists pages by status and prefix, reads without owning, counts and deletes", async () => {
  const store = memoryStore();
  for (const [at, runId] of ["b1", "a2", "a1", "a3"].entries()) {
    const session = await store.acquire(runId);
    await saveFirst(session, sampleRecord({ header: { runId, status: at === 0 ? "failed" : "running" } }));
    if (runId !== "a3") await session.close();
  }
  const page = await store.catalog.list({ prefix: "a", limit: 2 });
  expect(page).toStrictEqual({
    runs: ["a1", "a2"].map((runId) => ({ runId, status: "running", revision: 1, version: "1", resumes: 0 })),
    next: "a2",
  });
  const rest = await store.catalog.list({ prefix: "a", limit: 2, after: "a2" });
  expect([rest.runs.map(({ runId }) => runId), rest.next]).toStrictEqual([["a3"], undefined]);
  expect((await store.catalog.list({ status: "failed" })).runs.map(({ runId }) => runId)).toStrictEqual(["b1"]);
  expect(await store.catalog.count()).toBe(4);
  expect(await store.catalog.count({ status: "running", prefix: "a" })).toBe(3);

  expect((await store.catalog.read("a3")).header).toStrictEqual(sampleHeader({ runId: "a3" }));
  await rejectionOf("PULSE_NOT_FOUND", store.catalog.read("a4"));
  await rejectionOf("PULSE_BUSY", store.catalog.delete("a3"));
  await store.catalog.delete("a1");
  await store.catalog.delete("a1");
  expect(await store.catalog.count()).toBe(3);
});

test("STORE-1 what cannot be a run id is refused before anything is owned", async () => {
  const store = memoryStore();
  for (const runId of ["", "\uD800", undefined, null, 7]) {
    const error = await rejectionOf("PULSE_INVALID", store.acquire(runId as string));
    expect(error.message).toContain("the run id ");
  }
  for (const runId of ["../../x", "CON", "a\0b", "Run", "run", "x".repeat(10_000), "__proto__"]) {
    const session = await store.acquire(runId);
    await saveFirst(session, sampleRecord({ header: { runId } }));
  }
  expect(await store.catalog.count()).toBe(7);
});

test("STORE-1 an aborted signal ends acquire and load with its reason", async () => {
  const store = memoryStore();
  const signal = AbortSignal.abort("stop");
  await expect(store.acquire("run", { signal })).rejects.toBe("stop");
  const session = await store.acquire("run");
  await saveFirst(session);
  await expect(session.load({ signal })).rejects.toBe("stop");
});
