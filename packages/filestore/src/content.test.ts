import { hash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { NodeEntry, RecordChanges, RunRecord, Session, ValueRecord } from "@pulse-ts/durable";
import { nodeKey, recordBuilder } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { contentPath } from "./layout.ts";
import { fileStore, openFileStore } from "./open.ts";
import type { FileStoreOptions } from "./open.ts";
import { realPlatform } from "./platform.ts";
import { rejectionOf } from "./testing/error-of.ts";
import { faultyPlatform } from "./testing/faults.ts";
import { bigValue, contentFiles } from "./testing/big-values.ts";
import { openPlace, saveUpTo } from "./testing/place.ts";
import { firstRecord, historyOf } from "./testing/records.ts";

const valueIn = (record: RunRecord, at = 0): ValueRecord | undefined =>
  [...record.nodes.values()].flatMap(({ outputs }) => outputs)[at];

test("STORE-8 STORE-10 a value over the limit is a content under its SHA-256; one of exactly the limit stays in the record", async () => {
  await using place = await openPlace();
  for (const [bytes, kept] of [
    [16_384, false],
    [16_385, true],
  ] as const) {
    const runId = `run of ${bytes}`;
    const history = historyOf(runId, { valueBytes: bytes });
    const store = fileStore(place);
    const session = await store.acquire(runId);
    await saveUpTo(session, history, 0, 1);
    await session.close();
    const next = await store.acquire(runId);
    const value = valueIn(await next.load());
    const expected = bigValue(runId, 1, bytes);
    const digest = hash("sha256", expected);
    if (kept) {
      expect(value).toMatchObject({ digest, content: { digest, size: bytes } });
      expect(value).not.toHaveProperty("bytes");
      expect(await next.content?.(digest)).toEqual(expected);
      expect(await store.catalog.content?.(runId, digest)).toEqual(expected);
      expect(await contentFiles(place.folder)).toEqual([digest]);
    } else expect(value).toMatchObject({ digest, bytes: expected });
    expect(valueIn(await store.catalog.read(runId))).toEqual(value);
    await next.close();
  }
});

test("STORE-8 the limit can be chosen, down to every byte", async () => {
  await using place = await openPlace();
  const save = async (options: FileStoreOptions, runId: string): Promise<ValueRecord | undefined> => {
    const session = await fileStore(options).acquire(runId);
    await saveUpTo(session, historyOf(runId, { valueBytes: 10 }), 0, 1);
    await session.close();
    return valueIn(await fileStore(options).catalog.read(runId));
  };
  expect(await save({ ...place, contentBytesMin: 9 }, "a")).toHaveProperty("content");
  expect(await save({ ...place, contentBytesMin: 10 }, "b")).toHaveProperty("bytes");
  for (const contentBytesMin of [-1, 1.5, Number.NaN]) {
    expect(() => fileStore({ ...place, contentBytesMin })).toThrow("contentBytesMin");
  }
});

test("STORE-8 equal content is kept once: in one save, over saves, over runs and over sessions", async () => {
  await using place = await openPlace();
  let written = 0;
  const counting = {
    ...realPlatform,
    write: async (...given: Parameters<typeof realPlatform.write>) => {
      if (given[0] === "content-write") written += 1;
      await realPlatform.write(...given);
    },
  };
  for (const runId of ["a", "b"]) {
    const session = await openFileStore(place, { platform: counting }).acquire(runId);
    await saveUpTo(session, historyOf(runId, { bytesAt: () => new Uint8Array(20_000).fill(7) }), 0, 5);
    await session.close();
  }
  expect(await contentFiles(place.folder)).toEqual([hash("sha256", new Uint8Array(20_000).fill(7))]);
  expect(written).toBe(1);
});

test("STORE-8 REC-25 through saves, folds and new owners the record names the same contents, and they are what was saved", async () => {
  await using place = await openPlace();
  const history = historyOf("order", { valueBytes: 20_000, nodesMax: 6 });
  const store = fileStore({ ...place, foldBytesMin: 2_500 });
  let session = await store.acquire("order");
  let builder = recordBuilder("order");
  for (let revision = 1; revision <= 24; revision += 1) {
    if (revision % 7 === 0) {
      await session.close();
      session = await store.acquire("order");
      // As the runtime does: what was loaded is what is saved on.
      builder = recordBuilder("order", await session.load());
    }
    const changes = history.changesTo(revision);
    for (const change of changes) builder.apply(change);
    await session.save(builder.view(revision), revision - 1, changes);
  }
  await session.close();
  const names = await readdir(join(place.folder, "runs", "id-order"));
  expect(names.some((name) => name.startsWith("snapshot-"))).toBe(true);
  await expectContents(store, "order", history.at(24));
});

test("STORE-8 a loaded record that is saved on and folded keeps its contents, and bytes that were never put stay bytes", async () => {
  await using place = await openPlace();
  const inline = fileStore({ ...place, contentBytesMin: 1_000_000 });
  const history = historyOf("order", { valueBytes: 20_000 });
  const first = await inline.acquire("order");
  await saveUpTo(first, history, 0, 2);
  await first.close();
  const store = fileStore({ ...place, foldBytesMin: 0 });
  const session = await store.acquire("order");
  const builder = recordBuilder("order", await session.load());
  for (let revision = 3; revision <= 5; revision += 1) {
    const changes = history.changesTo(revision);
    for (const change of changes) builder.apply(change);
    await session.save(builder.view(revision), revision - 1, changes);
  }
  await session.close();
  const values = [...(await store.catalog.read("order")).nodes.values()].flatMap(({ outputs }) => outputs);
  expect(values.map((value) => ("bytes" in value ? "bytes" : "content"))).toEqual([
    "bytes",
    "bytes",
    "content",
    "content",
    "content",
  ]);
});

test("STORE-10 REC-9 a content that is damaged, cut, longer or missing is corrupt, and the error names its file", async () => {
  await using place = await openPlace();
  const history = historyOf("order", { valueBytes: 20_000 });
  const store = fileStore(place);
  const first = await store.acquire("order");
  await saveUpTo(first, history, 0, 1);
  await first.close();
  const digest = hash("sha256", bigValue("order", 1, 20_000));
  const path = contentPath(place.folder, digest);
  const bytes = await readFile(path);
  const flipped = Buffer.from(bytes);
  flipped[9_999] = (flipped[9_999] ?? 0) ^ 1;
  const session = await store.acquire("order");
  for (const damage of [flipped, bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(0), undefined]) {
    if (damage === undefined) await rm(path);
    else await writeFile(path, damage);
    for (const read of [session.content?.(digest), store.catalog.content?.("order", digest)]) {
      const error = await rejectionOf("PULSE_CORRUPT", read ?? Promise.reject(new Error("no contents")));
      expect(error.details).toMatchObject({ runId: "order", where: path, next: "restore-backup" });
    }
  }
  await writeFile(path, bytes);
  expect(await session.content?.(digest)).toEqual(bigValue("order", 1, 20_000));
  await rejectionOf("PULSE_USAGE", session.content?.("../../pulse-filestore") ?? Promise.resolve());
  await session.close();
  expect((await rejectionOf("PULSE_USAGE", session.content?.(digest) ?? Promise.resolve())).details.rule).toBe(
    "STORE-2",
  );
});

test("STORE-8 a damaged content that is saved anew is mended, and a file of the same name is never believed unread", async () => {
  await using place = await openPlace();
  const history = historyOf("order", { valueBytes: 20_000 });
  const bytes = bigValue("order", 1, 20_000);
  const path = contentPath(place.folder, hash("sha256", bytes));
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, Buffer.alloc(20_000));
  const store = fileStore(place);
  const session = await store.acquire("order");
  await saveUpTo(session, history, 0, 1);
  expect(await session.content?.(hash("sha256", bytes))).toEqual(bytes);
  await session.close();
});

test("STORE-8 a content is synced, and so is its folder, before the save that names it is written", async () => {
  await using place = await openPlace();
  const platform = faultyPlatform(() => undefined);
  const session = await openFileStore(place, { platform }).acquire("order");
  await saveUpTo(session, historyOf("order", { valueBytes: 20_000 }), 0, 1);
  const { steps } = platform;
  const order = ["content-write", "content-sync", "content-publish", "content-folder-sync", "journal-append"] as const;
  const places = order.map((step) => steps.lastIndexOf(step));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  await session.close();
});

test("STORE-8 a save that names a content which is not there is refused, and the record stays as it was", async () => {
  await using place = await openPlace();
  const store = fileStore(place);
  const session = await store.acquire("order");
  const { record, changes } = firstRecord("order");
  await session.save(record, 0, changes);
  const digest = hash("sha256", "nowhere");
  const entry: NodeEntry = {
    nodeId: "a",
    attempt: "0".repeat(32),
    reason: "completed",
    outputs: [{ name: "v", codec: "bytes", codecVersion: "1", state: "ready", digest, content: { digest, size: 9 } }],
  };
  const naming: RecordChanges = [{ kind: "put", key: nodeKey("0".repeat(32), "a"), entry }];
  const builder = recordBuilder("order", record);
  for (const change of naming) builder.apply(change);
  const error = await rejectionOf("PULSE_CORRUPT", session.save(builder.view(2), 1, naming));
  expect(error.details.where).toBe(contentPath(place.folder, digest));
  await session.close();
  expect(await store.catalog.read("order")).toEqual(record);
});

/** The contents that the record names are the bytes that the saves held. */
async function expectContents(store: ReturnType<typeof fileStore>, runId: string, expected: RunRecord): Promise<void> {
  const session: Session = await store.acquire(runId);
  const record = await session.load();
  expect([...record.nodes.keys()].sort()).toEqual([...expected.nodes.keys()].sort());
  for (const [ids, { outputs }] of expected.nodes) {
    for (const [at, value] of outputs.entries()) {
      const found = record.nodes.get(ids)?.outputs[at];
      if (!("bytes" in value) || found === undefined || !("content" in found)) throw new Error("no content");
      expect(found.content).toEqual({ digest: value.digest, size: value.bytes.length });
      expect(await session.content?.(value.digest)).toEqual(value.bytes);
    }
  }
  await session.close();
}
