import { expect, test } from "vitest";
import { execution, graph, key, limiter, node, run, type } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { heapBytes } from "../testing/garbage.ts";
import { rejection } from "../testing/rejection.ts";
import { stream } from "./index.ts";
import type { StreamDelivery } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 3 });
const list = key("list", type<readonly number[]>());
const places = limiter(1);
/** Less than two bytes a message: what stays is no message's. */
const growthBytesMax = 1_500_000;

/** A writer of numbers that tells how many were accepted. */
function counter(upTo: number) {
  const told = { accepted: 0, results: [] as boolean[] };
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let next = 1; next <= upTo; next++) {
      told.results.push(await writer.send(next));
      told.accepted = next;
    }
  });
  return { told, write };
}

test("STR-3 a full stream makes send wait until the slowest group has acknowledged", async () => {
  const { told, write } = counter(5);
  const go = deferred();
  const slow = node("slow", { requires: [numbers] }, async ({ numbers: reader }) => {
    await go.promise;
    for await (const { ack } of reader) {
      await ack();
      await turn();
    }
  });
  const fast = node("fast", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    const seen: number[] = [];
    for await (const value of reader.values()) seen.push(value);
    return { list: seen };
  });
  const handle = execution(graph("g", { outputs: [list], nodes: [write, slow, fast] }), {});
  handle.start();
  await turn();
  expect(told.accepted).toBe(3);
  expect(handle.snapshot().streams[0]?.heldBackBy).toEqual(["/slow"]);
  go.resolve();
  expect((await handle.wait()).values.list).toEqual([1, 2, 3, 4, 5]);
  expect(told.accepted).toBe(5);
});

test("STR-3 what is received and not acknowledged counts", async () => {
  const { told, write } = counter(4);
  const go = deferred();
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    const held: StreamDelivery<number>[] = [];
    for (let left = 3; left > 0; left--) held.push((await reader.receive()) as StreamDelivery<number>);
    await go.promise;
    await held[1]?.ack();
    await turn();
    expect(told.accepted).toBe(4);
    await reader.stop();
  });
  const handle = execution(graph("g", { nodes: [write, read] }), {});
  handle.start();
  await turn();
  expect(told.accepted).toBe(3);
  go.resolve();
  await handle.wait();
});

test("STR-3 sends that wait are accepted in the order in which they were called", async () => {
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((value) => writer.send(value)));
  });
  const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    const seen: number[] = [];
    for await (const value of reader.values()) seen.push(value);
    return { list: seen };
  });
  expect((await run(graph("g", { outputs: [list], nodes: [write, read] }), {})).values.list).toEqual([
    1, 2, 3, 4, 5, 6, 7,
  ]);
});

test("STR-36 STR-9 STR-30 after the last group stopped send gives false, uses no sequence, and a waiting one ends", async () => {
  const { told, write } = counter(6);
  const one = node("one", { requires: [numbers] }, ({ numbers: reader }) => reader.stop());
  const go = deferred();
  const other = node("other", { requires: [numbers] }, async ({ numbers: reader }) => {
    await go.promise;
    await reader.stop();
  });
  const handle = execution(graph("g", { nodes: [write, one, other] }), {});
  handle.start();
  await turn();
  expect(told.results).toEqual([true, true, true]);
  go.resolve();
  await handle.wait();
  expect(told.results).toEqual([true, true, true, false, false, false]);
  expect(handle.snapshot().streams[0]?.sent).toBe(3);
});

test("STR-9 the writer sees that nobody reads any more, and its signal is aborted", async () => {
  const seen: unknown[] = [];
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    const { stopSignal } = writer;
    seen.push(writer.stopped, stopSignal.aborted);
    await new Promise((resolve) => stopSignal.addEventListener("abort", resolve));
    seen.push(writer.stopped, stopSignal.aborted, writer.stopSignal === stopSignal);
  });
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    await turn();
    await reader.stop();
    await reader.stop();
  });
  await run(graph("g", { nodes: [write, read] }), {});
  expect(seen).toEqual([false, false, true, true, true]);
});

test("STR-42 STR-13 a reader that wants to hold more than capacity waits; the snapshot names who waits for whom", async () => {
  const { write } = counter(10);
  const greedy = node("greedy", { requires: [numbers] }, async ({ numbers: reader }) => {
    for (;;) if ((await reader.receive()) === undefined) return;
  });
  const handle = execution(graph("g", { nodes: [write, greedy] }), {});
  handle.start();
  await turn();
  const [told] = handle.snapshot().streams;
  expect(told).toEqual({
    key: "numbers",
    path: "write",
    capacity: 3,
    state: "open",
    sent: 3,
    senders: 1,
    heldBackBy: ["/greedy"],
    groups: [
      {
        name: "/greedy",
        readers: ["greedy"],
        state: "reading",
        delivered: 3,
        frontier: 0,
        pending: 3,
        waiting: ["greedy"],
      },
    ],
  });
  handle.cancel("enough");
  await rejection(handle.wait());
});

test("STR-30 the end of a stream arrives while it is full", async () => {
  const { write } = counter(3);
  const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    await turn();
    const held: StreamDelivery<number>[] = [];
    for await (const delivery of reader) held.push(delivery);
    return { list: held.map(({ value }) => value) };
  });
  expect((await run(graph("g", { outputs: [list], nodes: [write, read] }), {})).values.list).toEqual([1, 2, 3]);
});

test("STR-30 a reader that leaves wakes a blocked writer", async () => {
  const { told, write } = counter(10);
  const slow = node("slow", { requires: [numbers] }, async ({ numbers: reader }) => {
    await turn();
    await reader.stop();
  });
  const fast = node("fast", { requires: [numbers] }, async ({ numbers: reader }) => {
    for await (const { ack } of reader) await ack();
  });
  await run(graph("g", { nodes: [write, slow, fast] }), {});
  expect(told.accepted).toBe(10);
});

test.each([1, 2])(
  "STR-30 CORE-18 nodes that wait in a stream hold no place: a concurrency of %i does not deadlock",
  async (concurrency) => {
    const { write } = counter(50);
    const second = stream("second", type<number>(), { capacity: 1 });
    const relay = node("relay", { requires: [numbers], provides: [second] }, async ({ numbers: reader }, { open }) => {
      const writer = await open(second);
      for await (const { value, ack } of reader) {
        await writer.send(value);
        await ack();
      }
    });
    const read = node("read", { requires: [second], provides: [list] }, async ({ second: reader }) => {
      const seen: number[] = [];
      for await (const value of reader.values()) seen.push(value);
      return { list: seen };
    });
    const outcome = await run(graph("g", { outputs: [list], nodes: [write, relay, read] }), {}, { concurrency });
    expect(outcome.values.list.length).toBe(50);
  },
);

test("STR-30 CORE-18 at most so many bodies run between their waits as places allow", async () => {
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await turn();
    running--;
  };
  const { write } = counter(6);
  const readers = ["a", "b", "c"].map((id) =>
    node(id, { requires: [numbers], aspects: [places] }, async ({ numbers: reader }) => {
      for await (const { ack } of reader) {
        await work();
        await ack();
      }
    }),
  );
  await run(graph("g", { nodes: [write, ...readers] }), {});
  expect(most).toBe(1);
});
test("STR-30 300,000 messages leave the heap flat", async () => {
  const big = stream("big", type<{ text: string }>(), { capacity: 16 });
  const heap: number[] = [];
  const write = node("write", { provides: [big] }, async (_values, { open }) => {
    const writer = await open(big);
    for (let next = 0; next < 300_000; next++) {
      await writer.send({ text: `message ${next}` });
      if (next % 90_000 === 20_000) heap.push(heapBytes());
    }
  });
  const read = node("read", { requires: [big] }, async ({ big: reader }) => {
    for await (const { ack } of reader) await ack();
  });
  await run(graph("g", { nodes: [write, read] }), {});
  expect(heap.length).toBe(4);
  expect((heap[3] as number) - (heap[0] as number)).toBeLessThan(growthBytesMax);
});

test("STR-30 a sparse rest does not make the account of a group grow", async () => {
  let outstanding = 0;
  const { write } = counter(20_000);
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    const first = await reader.receive();
    for await (const { sequence, ack } of reader) {
      await ack();
      if (sequence === 20_000) outstanding = heapBytes();
    }
    await first?.ack();
  });
  const before = heapBytes();
  const handle = execution(graph("g", { nodes: [write, read] }), {});
  handle.start();
  await handle.wait();
  expect(outstanding - before).toBeLessThan(growthBytesMax);
  expect(handle.snapshot().streams[0]?.groups[0]?.delivered).toBe(20_000);
});
