import { graph, mount, node, type } from "@pulse-ts/core";
import type { Execution } from "@pulse-ts/core";
import { stream } from "@pulse-ts/core/streams";
import type { StreamReader } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import type { SeenSave } from "../testing/faulty-store.ts";
import { lifeUntil } from "../testing/worker.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 8 });
const call = { runId: "run", version: "1" };
const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
  const writer = await open(numbers);
  for (const value of [1, 2, 3]) await writer.send(value);
  return {};
});
const feed = graph("feed", { outputs: [numbers], nodes: [write] });

/** Subscribes, and keeps the reader. */
function host(group?: string) {
  const kept: { reader?: StreamReader<number> } = {};
  const beforeStart = (execution: Execution<unknown>): void => {
    kept.reader = execution.subscribe(numbers, group === undefined ? {} : { group });
  };
  return { beforeStart, reader: () => kept.reader as StreamReader<number> };
}

async function take(reader: StreamReader<number>): Promise<{ readonly value: number; ack(): Promise<void> }> {
  const delivery = await reader.receive();
  if (delivery === undefined) throw new Error("the stream is at its end");
  return delivery;
}

test("STR-53 a completed run keeps the host's rest; a resume runs nothing, and closes when it is acknowledged", async () => {
  const store = memoryStore();
  const first = host();
  const handle = await durable({ store }).start(feed, {}, { ...call, beforeStart: first.beforeStart });
  await handle.wait();
  const one = await take(first.reader());
  await one.ack();
  expect((await store.catalog.read("run")).messages.size).toBe(2);
  await rejectionOf("PULSE_BUSY", durable({ store }).resume(feed, {}, { ...call, beforeStart: host().beforeStart }));
  await handle.close();

  const later = host();
  const kinds: string[] = [];
  const closed = new Promise<void>((resolve) => {
    const observers = [
      ({ kind }: { readonly kind: string }) => {
        kinds.push(kind);
        if (kind === "run-stopped") resolve();
      },
    ];
    void durable({ store }).resume(feed, {}, { ...call, beforeStart: later.beforeStart, observers });
  });
  await new Promise<void>((resolve) => setImmediate(resolve));
  const rest = [await take(later.reader()), await take(later.reader())];
  expect(rest.map(({ value }) => value)).toEqual([2, 3]);
  for (const delivery of rest) await delivery.ack();
  await closed;
  expect(kinds).not.toContain("node-running");
  const record = await store.catalog.read("run");
  expect(record.messages.size).toBe(0);
  expect([...record.streams.values()]).toMatchObject([{ group: "host", ackedThrough: 3, end: "completed" }]);
  await durable({ store }).resume(feed, {}, call);
});

test("STR-37 a resume that leaves a group unread, or reads a new one, is refused before the start", async () => {
  const store = memoryStore();
  const first = host();
  const handle = await durable({ store }).start(feed, {}, { ...call, beforeStart: first.beforeStart });
  await handle.wait();
  await handle.close();
  const missing = await rejectionOf("PULSE_USAGE", durable({ store }).resume(feed, {}, call));
  expect(missing.details).toMatchObject({
    rule: "STR-37",
    key: "numbers",
    path: "write",
    runId: "run",
    next: "resume",
  });
  expect(missing.message).toContain('"host"');
  const both = (execution: Execution<unknown>): void => {
    execution.subscribe(numbers);
    execution.subscribe(numbers, { group: "another" });
  };
  const added = await rejectionOf("PULSE_USAGE", durable({ store }).resume(feed, {}, { ...call, beforeStart: both }));
  expect(added.message).toContain('"another"');
});

test("STR-11 DUR-18 a stream that nobody reads is refused before the run is recorded", async () => {
  const store = memoryStore();
  const error = await rejectionOf("PULSE_INVALID", durable({ store }).run(feed, {}, call));
  expect(error.details.problems.map(({ code }) => code)).toEqual(["PULSE_STREAM_UNREAD"]);
  await rejectionOf("PULSE_NOT_FOUND", store.catalog.read("run"));
});

/** A writer in a mount that another node of the mount holds open, so that a resume finds the mount under way. */
function mountedFeed(capacity: number, writes: number, first: boolean) {
  const few = stream("few", type<number>("number"), { capacity, position: type<number>("number") });
  const writer = node("write", { provides: [few], resumable: true }, async (_values, { open }) => {
    const out = await open(few);
    for (let at = (out.position() ?? 0) + 1; at <= (first ? Math.min(writes, capacity) : writes); at += 1)
      await out.sendAt(at, at);
    if (first && writes > capacity) await new Promise(() => {});
  });
  const holds = node("holds", {}, async () => {
    if (first) await new Promise(() => {});
  });
  const inner = graph("inner", { outputs: [few], nodes: [writer, holds] });
  const kept: { reader?: StreamReader<number> } = {};
  const beforeStart = (execution: Execution<unknown>): void => {
    kept.reader = execution.subscribe(few);
  };
  return { of: graph("feed", { outputs: [few], nodes: [mount("m", inner)] }), beforeStart, kept };
}

const wrote = (last: number) => (save: SeenSave) =>
  save.changes.some(
    (change) => change.kind === "put" && "lastSequence" in change.entry && change.entry.lastSequence === last,
  );
const confirmed = (save: SeenSave): boolean => save.changes.some(({ key }) => key.startsWith("node/"));

test("STR-23 a host that waits when the run goes on is given what is restored with a mount, and its end", async () => {
  const memory = memoryStore();
  const before = mountedFeed(2, 2, true);
  await lifeUntil(memory, before.of, { ...call, beforeStart: before.beforeStart }, confirmed);
  const after = mountedFeed(2, 2, false);
  const seen: number[] = [];
  const reads = async (reader: StreamReader<number>): Promise<void> => {
    for await (const value of reader.values()) seen.push(value);
  };
  let reading: Promise<void> | undefined;
  const beforeStart = (execution: Execution<unknown>): void => {
    after.beforeStart(execution);
    reading = reads(after.kept.reader as StreamReader<number>);
  };
  await durable({ store: memory }).resume(after.of, {}, { ...call, beforeStart });
  await reading;
  expect(seen).toEqual([1, 2]);
  expect((await memory.catalog.read("run")).messages.size).toBe(0);
});

test.each([
  ["whose writer has ended", 2, confirmed],
  ["whose writer waits for it", 5, wrote(2)],
])(
  "STR-9 STR-37 a host that stops before the run goes on has stopped, in a stream of a mount %s",
  async (_title, writes, last) => {
    const memory = memoryStore();
    const before = mountedFeed(2, writes, true);
    await lifeUntil(memory, before.of, { ...call, beforeStart: before.beforeStart }, last);
    const after = mountedFeed(2, writes, false);
    const beforeStart = (execution: Execution<unknown>): void => {
      after.beforeStart(execution);
      void after.kept.reader?.stop();
    };
    await durable({ store: memory }).resume(after.of, {}, { ...call, beforeStart });
    expect(await after.kept.reader?.receive()).toBeUndefined();
    const { streams, messages } = await memory.catalog.read("run");
    expect([...streams.values()]).toMatchObject([{ group: "host", stopped: true, end: "completed" }]);
    expect(messages.size).toBe(0);
    // Nothing is left to read.
    await durable({ store: memory }).resume(after.of, {}, call);
  },
);

test("CORE-46 a host that acknowledges in a run that was interrupted is told so, and no node is blamed", async () => {
  const store = memoryStore();
  const { beforeStart, reader } = host();
  const held = graph("feed", {
    outputs: [numbers],
    nodes: [
      node("write", { provides: [numbers], resumable: true }, async (_values, { open, signal }) => {
        await (await open(numbers)).send(1);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
    ],
  });
  const handle = await durable({ store }).start(held, {}, { ...call, beforeStart });
  const delivery = await take(reader());
  handle.cancel("stop");
  const refusal = await rejectionOf("PULSE_INTERRUPTED", delivery.ack());
  expect(refusal.message).toBe("the execution was interrupted");
  await rejectionOf("PULSE_INTERRUPTED", handle.wait());
});
