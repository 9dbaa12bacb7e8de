import { graph, node, type } from "@pulse-ts/core";
import type { Execution } from "@pulse-ts/core";
import { stream } from "@pulse-ts/core/streams";
import type { StreamReader } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";

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
