import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { attemptKey, nodeKey } from "@pulse-ts/durable";
import type { RecordChange } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { fileStore, openFileStore } from "./open.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { everythingIn, fakeProcesses, openPlace, saveUpTo } from "./testing/place.ts";
import { firstRecord, historyOf, nextRecord } from "./testing/records.ts";

test("STORE-1 a run that is owned is busy at once, by the same and by another store; other runs are free", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const session = await store.acquire("order");
  const error = await rejectionOf("PULSE_BUSY", store.acquire("order"));
  expect(error.details).toMatchObject({ runId: "order", next: "later" });
  expect(error.message).toContain(`process ${process.pid}`);
  await rejectionOf("PULSE_BUSY", fileStore(place).acquire("order"));
  const other = await store.acquire("other");
  await Promise.all([session.close(), other.close()]);
  await (await fileStore(place).acquire("order")).close();
});

test("STORE-1 many runs at once, in one store, keep what each saved", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const histories = Array.from({ length: 20 }, (_, number) => historyOf(`run ${number}`));
  await Promise.all(
    histories.map(async (history) => {
      const session = await store.acquire(history.runId);
      await saveUpTo(session, history, 0, 5);
      await session.close();
    }),
  );
  for (const history of histories) expect(await store.catalog.read(history.runId)).toEqual(history.at(5));
});

test("STORE-2 close may be called again; load and save after it are refused", async () => {
  await using place = await openPlace();
  const session = await fileStore(place).acquire("order");
  await Promise.all([session.close(), session.close()]);
  await session.close();
  const { record, changes } = firstRecord("order");
  expect((await rejectionOf("PULSE_USAGE", session.load())).details.rule).toBe("STORE-2");
  expect((await rejectionOf("PULSE_USAGE", session.save(record, 0, changes))).details.rule).toBe("STORE-2");
});

test("STORE-2 close waits for the session's own save in flight", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const history = historyOf("order");
  const session = await store.acquire("order");
  const saving = session.save(history.at(1), 0, history.changesTo(1));
  await session.close();
  await saving;
  const next = await store.acquire("order");
  expect(await next.load()).toEqual(history.at(1));
  await next.close();
});

test("STORE-3 load of a run that was never saved is not found, before and after another tried", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  for (let round = 0; round < 2; round += 1) {
    const session = await store.acquire("order");
    expect((await rejectionOf("PULSE_NOT_FOUND", session.load())).details.next).toBe("start");
    await session.close();
  }
  expect(await readdir(join(place.folder, "runs"))).toEqual([]);
  expect(await readdir(join(place.folder, "locks"))).toEqual([]);
  expect(await readdir(join(place.folder, "new"))).toEqual([]);
});

test("STORE-3 load gives an isolated copy", async () => {
  await using place = await openPlace();
  const history = historyOf("order");
  const session = await fileStore(place).acquire("order");
  await saveUpTo(session, history, 0, 2);
  const loaded = await session.load();
  for (const { outputs } of loaded.nodes.values()) {
    for (const output of outputs) if (output.state === "ready" && "bytes" in output) output.bytes.fill(0);
  }
  expect(await session.load()).toEqual(history.at(2));
  await session.close();
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

test("STORE-3 a revision cannot overflow", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const { record, changes } = firstRecord("order", { revision: Number.MAX_SAFE_INTEGER + 1 });
  const session = await store.acquire("order");
  await rejectionOf("PULSE_CONFLICT", session.save(record, Number.MAX_SAFE_INTEGER, changes));
  await rejectionOf("PULSE_CONFLICT", session.save(firstRecord("order", { revision: Number.NaN }).record, 0, changes));
  await session.close();
  expect(await store.catalog.count()).toBe(0);
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

test("STORE-4 aborting a save ends the waiting; the save itself is whole", async () => {
  await using place = await openPlace();
  const history = historyOf("order");
  const abort = new AbortController();
  const reason = new Error("no more time");
  const platform = faultyPlatform((step) => {
    if (step === "journal-sync") abort.abort(reason);
    return undefined;
  });
  const session = await openFileStore(place, { platform }).acquire("order");
  const saving = session.save(history.at(1), 0, history.changesTo(1), { signal: abort.signal });
  await expect(saving).rejects.toBe(reason);
  await session.close();
  expect(await fileStore(place).catalog.read("order")).toEqual(history.at(1));
});

test("STORE-4 a call whose signal is aborted already does nothing", async () => {
  await using place = await openPlace();
  const store = fileStore({ folder: join(place.folder, "runs") });
  const signal = AbortSignal.abort(new Error("before"));
  await expect(store.acquire("order", { signal })).rejects.toThrow("before");
  expect(await readdir(place.folder)).toEqual([]);
  const history = historyOf("order");
  const session = await store.acquire("order");
  await expect(session.save(history.at(1), 0, history.changesTo(1), { signal })).rejects.toThrow("before");
  await rejectionOf("PULSE_NOT_FOUND", session.load());
  await session.save(history.at(1), 0, history.changesTo(1));
  await expect(session.load({ signal })).rejects.toThrow("before");
  await session.close();
});

test("REC-25 what is loaded is the fold of the changes, after every save and through snapshots", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin: 3_000 });
  const history = historyOf("order", { nodesMax: 4 });
  for (let revision = 1; revision <= 40; revision += 1) {
    const session = await store.acquire("order");
    await saveUpTo(session, history, revision - 1, revision);
    expect(await session.load()).toEqual(history.at(revision));
    await session.close();
    expect(await store.catalog.read("order")).toEqual(history.at(revision));
  }
});

test("REC-31 an entry that was deleted is gone, and stays gone in a snapshot", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin: 0 });
  const history = historyOf("order");
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 1);
  const [node] = [...history.at(1).nodes.values()];
  if (node === undefined) throw new Error("the history has no node");
  const deletions: RecordChange[] = [
    { kind: "delete", key: attemptKey(node.attempt) },
    { kind: "delete", key: nodeKey("0".repeat(32), node.nodeId) },
  ];
  const without = { ...nextRecord(history.at(1)).record, nodes: new Map(), attempts: new Map() };
  await session.save(without, 1, deletions);
  expect(await session.load()).toEqual(without);
  const last = nextRecord(without, { status: "completed" });
  await session.save(last.record, 2, last.changes);
  await session.close();
  expect(await store.catalog.read("order")).toEqual(last.record);
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

test("REC-15 text that is not well-formed is refused before anything is written; the revision stays", async () => {
  await using place = await openPlace();
  const history = historyOf("order");
  const session = await fileStore(place).acquire("order");
  await saveUpTo(session, history, 0, 1);
  const before = await everythingIn(place.folder);
  const bad = nextRecord(history.at(1), { version: "\ud800" });
  expect((await rejectionOf("PULSE_USAGE", session.save(bad.record, 1, bad.changes))).details.rule).toBe("REC-15");
  expect(await everythingIn(place.folder)).toEqual(before);
  await saveUpTo(session, history, 1, 2);
  await session.close();
});

test("REC-16 unknown header fields and odd keys come back as they were", async () => {
  await using place = await openPlace();
  const store = fileStore({ ...place, foldBytesMin: 0 });
  const odd: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":null,"":"\\u0000","a.b":[0,{"x":"é\u2028"}]}');
  const first = firstRecord("order", { later: odd });
  const session = await store.acquire("order");
  await session.save(first.record, 0, first.changes);
  await session.close();
  expect(JSON.stringify((await store.catalog.read("order")).header["later"])).toBe(JSON.stringify(odd));
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

test("D4 D5 a save keeps every entry that it does not name", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const history = historyOf("order");
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 3);
  // A node's confirmation that touches no value of others, and then a record of control alone.
  const control = nextRecord(history.at(3), { resumes: 1 });
  await session.save(control.record, 3, control.changes);
  await session.save({ ...control.record, header: { ...control.record.header, revision: 5 } }, 4, []);
  await session.close();
  const record = await store.catalog.read("order");
  expect(record.nodes).toEqual(history.at(3).nodes);
  expect(record.header).toMatchObject({ revision: 5, resumes: 1 });
});

test("KIT-5 16 MiB of bytes come back byte for byte, out of the journal and out of a snapshot", async () => {
  await using place = await openPlace();
  const history = historyOf("order", { valueBytes: 16 * 1024 * 1024 });
  for (const foldBytesMin of [1_000_000_000, 0]) {
    // Not as a content: in the line of a save.
    const contentBytesMin = 1_000_000_000;
    const store = fileStore({ folder: join(place.folder, String(foldBytesMin)), foldBytesMin, contentBytesMin });
    const session = await store.acquire("order");
    await saveUpTo(session, history, 0, 1);
    await session.close();
    const [node] = [...(await store.catalog.read("order")).nodes.values()];
    const [expected] = [...history.at(1).nodes.values()];
    const bytesIn = (entry: typeof node): Buffer => {
      const output = entry?.outputs[0];
      if (output === undefined || !("bytes" in output)) throw new Error("the node has no bytes");
      return Buffer.from(output.bytes);
    };
    expect(bytesIn(node).equals(bytesIn(expected))).toBe(true);
  }
});
