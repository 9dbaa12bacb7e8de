import { hash } from "node:crypto";
import { isPulseError } from "@pulse-ts/core";
import { nodeKey } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import type { CollectedContents } from "./collect.ts";
import { contentWindowMsDefault } from "@pulse-ts/durable/define-store";
import { sqliteFaultPoints } from "./fault-points.ts";
import { expectRecord, saveRun } from "./testing/expect-record.ts";
import { fakeProcesses, openPlace, rejectionOf, sqliteError } from "./testing/place.ts";
import { sample, saveUpTo } from "./testing/sample-run.ts";

const big = (text: string): Uint8Array => new Uint8Array(Buffer.alloc(17_000, text));
const shared = hash("sha256", big("shared"));
/** Saves the same content at every step, as every other run of this kind. */
const sharing = (runId: string) => sample(runId, { bytesAt: () => big("shared") });
/** Saves contents of its own. */
const owning = (runId: string) => sample(runId, { bytesAt: (revision) => big(`${runId} ${revision} `) });
const counts = ({ kept, waiting, removed }: CollectedContents): readonly number[] => [kept, waiting, removed];

test("STORE-8 a content that no record names goes after a day; what a record names stays however old; equal content is kept once", async () => {
  await using place = await openPlace();
  let now = 1_000_000_000_000;
  const store = place.open({ now: () => now });
  expect(counts(await store.collect())).toEqual([0, 0, 0]);
  await saveRun(store, owning("a"), 3);
  await saveRun(store, sharing("b"), 5);
  await saveRun(store, sharing("c"), 2);
  expect(place.raw().prepare("SELECT count(*) FROM content_bytes").pluck().get()).toBe(4);
  await store.catalog.delete("a");
  now += contentWindowMsDefault - 1;
  expect(counts(await store.collect())).toEqual([4, 0, 0]);
  now += 1;
  const collected = await store.collect();
  expect(collected).toEqual({ kept: 1, waiting: 0, removed: 3, removedBytes: 51_000, unreadable: [] });
  await store.catalog.delete("b");
  await expectRecord(store, sharing("c"), 2);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([1, 0, 0]);
  await store.catalog.delete("c");
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 0, 1]);
  expect(place.raw().prepare("SELECT count(*) FROM content_bytes").pluck().get()).toBe(0);
});

test("STORE-8 a content that a save uses again counts as new from then on", async () => {
  await using place = await openPlace();
  let now = 1_000_000_000_000;
  const store = place.open({ now: () => now });
  await saveRun(store, sharing("a"), 1);
  await store.catalog.delete("a");
  now += contentWindowMsDefault;
  await saveRun(store, sharing("b"), 1);
  await store.catalog.delete("b");
  expect(counts(await store.collect())).toEqual([1, 0, 0]);
  now += contentWindowMsDefault;
  expect(counts(await store.collect())).toEqual([0, 0, 1]);
});

test("STORE-8 nothing goes while a run is open that was open when it was found unnamed; another process's run counts too", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const here = place.open(processes.parts(1));
  const there = place.open(processes.parts(2));
  await saveRun(here, sharing("a"), 1);
  await here.catalog.delete("a");
  const open = await there.acquire("b");
  expect(counts(await here.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  expect(await here.catalog.content?.("a", shared)).toEqual(big("shared"));
  const later = await there.acquire("c");
  expect(counts(await here.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  await open.close();
  expect(counts(await here.collect({ windowMs: 0 }))).toEqual([0, 0, 1]);
  await later.close();
});

test("STORE-8 an owner that is dead keeps nothing from going; one that may come back does", async () => {
  await using place = await openPlace();
  const processes = fakeProcesses();
  const store = place.open(processes.parts(1));
  await saveRun(store, sharing("a"), 1);
  await store.catalog.delete("a");
  await place.open(processes.parts(2)).acquire("killed");
  const strange = await place.open(processes.strangerParts(3)).acquire("strange");
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  processes.kill(2);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  await strange.close();
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 0, 1]);
});

test("STORE-8 what an open run names anew is kept, though a collection had found it unnamed", async () => {
  await using place = await openPlace();
  const store = place.open();
  const run = sample("a", { bytesAt: (revision) => big(revision === 2 ? "other" : "shared"), nodesMax: 1 });
  const session = await store.acquire("a");
  await saveUpTo(session, run, 0, 2);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([1, 1, 0]);
  // By its digest alone: this session has put it before.
  await saveUpTo(session, run, 2, 3);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([1, 1, 0]);
  await session.close();
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([1, 0, 1]);
  await expectRecord(store, run, 3);
});

test("STORE-8 the last entry that names a content may be deleted, or be named by two at once", async () => {
  await using place = await openPlace();
  const store = place.open();
  const run = sharing("a");
  const session = await store.acquire("a");
  await saveUpTo(session, run, 0, 2);
  const record = await session.load();
  const { header, nodes, ...maps } = record;
  const [first, second] = [...nodes.keys()];
  const without = (revision: number, kept: readonly (string | undefined)[]) => ({
    header: { ...header, revision },
    nodes: new Map([...nodes].filter(([ids]) => kept.includes(ids))),
    ...maps,
  });
  const keyOf = (ids = ""): string => nodeKey(...(ids.split("/").map(decodeURIComponent) as [string, string]));
  await session.save(without(3, [second]), 2, [{ kind: "delete", key: keyOf(first) }]);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([1, 0, 0]);
  await session.save(without(4, []), 3, [{ kind: "delete", key: keyOf(second) }]);
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 1, 0]);
  await session.close();
  expect(counts(await store.collect({ windowMs: 0 }))).toEqual([0, 0, 1]);
});

test("STORE-8 SQL-1 a content that is named cannot be removed: the database itself refuses", async () => {
  await using place = await openPlace();
  await saveRun(place.open(), sharing("a"), 1);
  const raw = place.raw();
  raw.pragma("foreign_keys = ON");
  expect(() => raw.exec("DELETE FROM content")).toThrow("FOREIGN KEY constraint failed");
});

test("STORE-8 a content that a record names and that is not there refuses the save that names it", async () => {
  await using place = await openPlace();
  const store = place.open();
  await saveRun(store, sharing("a"), 1);
  const session = await store.acquire("a");
  const record = await session.load();
  const raw = place.raw();
  raw.exec("DELETE FROM naming; DELETE FROM content_bytes; DELETE FROM content");
  const [ids, node] = [...record.nodes][0] ?? ["", undefined];
  if (node === undefined) throw new Error("the record has no node");
  const next = { ...record, header: { ...record.header, revision: 2 } };
  const error = await rejectionOf(
    "PULSE_CORRUPT",
    session.save(next, 1, [{ kind: "put", key: `node/${ids}`, entry: node }]),
  );
  expect(error.details.where).toContain(shared);
  await session.close();
  expect((await store.catalog.read("a")).header.revision).toBe(1);
});

test.each(sqliteFaultPoints.filter((point) => /^(?:begin|commit|collect)/.test(point)))(
  "STORE-8 a collection that ends at any point (%s) has lost nothing that is named, and the next one ends its work",
  async (point) => {
    await using place = await openPlace();
    const processes = fakeProcesses();
    const store = place.open(processes.parts(1));
    await saveRun(store, sharing("kept"), 2);
    await saveRun(store, owning("gone"), 3);
    await store.catalog.delete("gone");
    await saveRun(store, owning("again"), 1);
    for (let occurrence = 0, ended = true; ended; occurrence += 1) {
      let met = 0;
      ended = false;
      const dying = place.open({
        ...processes.parts(2),
        at: (reached) => {
          if (reached !== point) return;
          if (met === occurrence) throw sqliteError("SQLITE_IOERR");
          met += 1;
        },
      });
      try {
        await dying.collect({ windowMs: 0 });
      } catch (error) {
        if (!isPulseError(error, "PULSE_STORE")) throw error;
        ended = true;
      }
      await expectRecord(store, sharing("kept"), 2);
      await expectRecord(store, owning("again"), 1);
    }
    expect(counts(await store.collect({ windowMs: 0 }))).toEqual([2, 0, 0]);
    expect((await store.checkIntegrity()).problems).toEqual([]);
  },
);

test("STORE-8 a window that is none is refused, and an aborted collection ends", async () => {
  await using place = await openPlace();
  const store = place.open();
  for (const windowMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect((await rejectionOf("PULSE_INVALID", store.collect({ windowMs }))).message).toContain("windowMs");
  }
  const reason = new Error("no more time");
  await expect(store.collect({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
