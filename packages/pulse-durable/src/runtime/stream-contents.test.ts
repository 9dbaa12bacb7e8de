import { graph, key, node, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { exportRun } from "../export.ts";
import { importRun } from "../import.ts";
import { contentsOf, namingContents } from "../define-store/content-values.ts";
import { memoryStore } from "../memory-store.ts";
import { managedKey, messageKey } from "../record/entry-key.ts";
import type { RecordChange } from "../record/format.ts";
import { apartStore, contentsApart } from "../testing/apart-store.ts";
import { idOf, readyValue, skippedValue } from "../testing/sample-record.ts";

const texts = stream("texts", type<string>("text"), { capacity: 4, position: type<string>("position") });
const all = key("all", type<string>("all"));
const call = { runId: "run", version: "1" };
const big = (at: number): string => `${at} ${"x".repeat(5_000)}`;

/** Big messages, positions, states and values; `stop` ends the process's part of it after so many handled messages. */
function bigOnes(stopAfter: number, stop: () => void) {
  let handled = 0;
  const write = node("write", { provides: [texts], resumable: true }, async (_values, { open }) => {
    const out = await open(texts);
    for (let at = Number((out.position() ?? "0 ").split(" ")[0]) + 1; at <= 4; at += 1)
      await out.sendAt(big(at), big(at));
  });
  const collect = node("collect", { requires: [texts], provides: [all] }, async ({ texts: reader }) => ({
    all: await handleMessages(
      reader,
      ({ value, sequence }, message) => {
        const text = `${message.state.get() ?? ""}${value}`;
        message.state.set(text);
        if (sequence === 4) message.set(all, text);
        handled += 1;
        if (handled === stopAfter) stop();
      },
      { state: type<string>("state") },
    ),
  }));
  return graph("big", { outputs: [all], nodes: [write, collect] });
}

const whole = [1, 2, 3, 4].map(big).join("");

test("STORE-10 REC-8 REC-26 CODEC-9 messages, positions and states that rest in a content store come back after a resume and in a document", async () => {
  const store = apartStore();
  const stop = new AbortController();
  const first = durable({ store }).run(
    bigOnes(2, () => stop.abort(new Error("stop"))),
    {},
    { ...call, signal: stop.signal },
  );
  await expect(first).rejects.toThrow("interrupted");
  const contents = new Map<string, Uint8Array>();
  const apart = contentsApart(await store.catalog.read("run"), contents);
  const values = [
    ...[...apart.messages.values()].map(({ value }) => value),
    ...[...apart.streams.values()].map(({ cursor }) => cursor),
    ...[...apart.managed.values()].map(({ state }) => state),
  ];
  expect(values.length).toBeGreaterThan(2);
  for (const value of values) expect(value).toMatchObject({ content: {} });
  const content = (_runId: string, digest: string) => Promise.resolve(contents.get(digest) as Uint8Array);
  const document = await exportRun(
    { ...store, catalog: { ...store.catalog, read: async () => apart, content } },
    "run",
  );
  const other = memoryStore();
  await importRun(other, document);
  for (const each of [store, other])
    expect(
      (
        await durable({ store: each }).resume(
          bigOnes(0, () => {}),
          {},
          call,
        )
      ).values,
    ).toEqual({ all: whole });
});

test("STORE-8 STORE-10 what a store keeps apart by its size is named in entries of streams as in those of nodes", () => {
  const value = readyValue("texts", big(1));
  const entry = { values: [readyValue("all", big(2)), skippedValue("none")], state: readyValue("", big(3)) };
  const changes: RecordChange[] = [
    { kind: "put", key: messageKey(idOf("a"), 1), entry: { value } },
    { kind: "put", key: managedKey(idOf("b"), idOf("c"), "collect"), entry },
    { kind: "put", key: messageKey(idOf("a"), 2), entry: { value: readyValue("texts", "small") } },
  ];
  const found = contentsOf(changes, 1_000);
  expect(found.map(({ size }) => size)).toEqual([5_002, 5_002, 5_002]);
  const named = changes.map((change) =>
    namingContents(change, (digest) => found.some((each) => each.digest === digest)),
  );
  expect(named).toMatchObject([
    { entry: { value: { content: { digest: value.digest, size: 5_002 } } } },
    { entry: { values: [{ content: {} }, { state: "skipped" }], state: { content: {} } } },
    { entry: { value: { bytes: {} } } },
  ]);
});
