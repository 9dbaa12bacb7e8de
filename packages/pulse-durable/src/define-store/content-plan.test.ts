import { expect, test } from "vitest";
import { nodeKey } from "../record/entry-key.ts";
import type { RecordChange, ValueRecord } from "../record/format.ts";
import { readyValue, rootId } from "../testing/sample-record.ts";
import { recordAt, saveAfter, toldAdapter } from "../testing/told-adapter.ts";
import { nodeOf, put } from "../testing/whole-record.ts";
import type { SaveResult } from "./adapter.ts";
import { defineStore } from "./define-store.ts";

const big = readyValue("page", "x".repeat(100));
const bigDigest = "digest" in big ? big.digest : "";
const named = (size: number): ValueRecord => {
  const { name, codec, codecVersion } = big;
  return { name, codec, codecVersion, state: "ready", digest: bigDigest, content: { digest: bigDigest, size } };
};
const outputs = (...values: readonly ValueRecord[]): RecordChange =>
  put(nodeKey(rootId, "fetch"), nodeOf("fetch", "a".repeat(32), values));

test("STORE-8 values over the limit are given as contents once, and named from then on", async () => {
  const adapter = toldAdapter({ content: async () => undefined }, { contentBytesMin: 50 });
  const session = await defineStore(adapter).acquire("run");
  await saveAfter(session, 0);
  await session.save(recordAt(2), 1, [outputs(big, readyValue("small", "x".repeat(50)))]);
  await session.save(recordAt(3), 2, [outputs(big)]);
  const [, first, second] = adapter.saves;
  expect(first?.contents).toEqual([{ digest: bigDigest, size: 100, bytes: new TextEncoder().encode("x".repeat(100)) }]);
  expect(first?.changes).toEqual([outputs(named(100), readyValue("small", "x".repeat(50)))]);
  expect(second?.contents).toEqual([]);
  expect(second?.changes).toEqual([outputs(named(100))]);
});

test("STORE-8 a content that a save did not keep is given again", async () => {
  const results: SaveResult[] = ["saved", { conflict: 7 }, "saved"];
  const adapter = toldAdapter(
    { save: async () => results.shift() ?? "saved", content: async () => undefined },
    { contentBytesMin: 50 },
  );
  const session = await defineStore(adapter).acquire("run");
  await saveAfter(session, 0);
  await expect(session.save(recordAt(2), 1, [outputs(big)])).rejects.toThrow("found 7");
  await session.save(recordAt(2), 1, [outputs(big)]);
  expect(adapter.saves.map(({ contents }) => contents.length)).toEqual([0, 1, 1]);
});

test("STORE-8 a content that is named already must be in its place, without its bytes", async () => {
  const adapter = toldAdapter({ content: async () => undefined }, { contentBytesMin: 50 });
  const session = await defineStore(adapter).acquire("run");
  await saveAfter(session, 0);
  await session.save(recordAt(2), 1, [outputs(named(100))]);
  expect(adapter.saves[1]?.contents).toEqual([{ digest: bigDigest, size: 100 }]);
});

test("STORE-8 a value that is not what its digest says stays as it is, for the record's own check", async () => {
  const adapter = toldAdapter({ content: async () => undefined }, { contentBytesMin: 50 });
  const session = await defineStore(adapter).acquire("run");
  await saveAfter(session, 0);
  const wrong = outputs({ ...big, digest: "0".repeat(64) } as ValueRecord);
  await session.save(recordAt(2), 1, [wrong]);
  expect(adapter.saves[1]).toMatchObject({ contents: [], changes: [wrong] });
});

test("STORE-10 a store without contents is given every value with its bytes", async () => {
  const adapter = toldAdapter();
  const session = await defineStore(adapter).acquire("run");
  await saveAfter(session, 0);
  await session.save(recordAt(2), 1, [outputs(big)]);
  expect(adapter.saves[1]).toMatchObject({ contents: [], changes: [outputs(big)] });
});
