import { expect, test } from "vitest";
import { aspect, graph, key, mount, node, retry, type } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { boom, numbers, readAll, reading, started, writing } from "../testing/confirmed-runs.ts";
import { expectCode, rejection } from "../testing/rejection.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import type { StreamDelivery, StreamWriter } from "./index.ts";

test("STR-22 STR-34 a message is delivered when it is confirmed, and readers see the completed end when the writer is committed", async () => {
  const own = streamHooksOfTest();
  const got: (number | undefined)[] = [];
  const held = own.hold("append");
  const running = started(
    [
      writing(7),
      reading(async (reader) => {
        for (let next = await reader.receive(); ; next = await reader.receive()) {
          got.push(next?.value);
          if (next === undefined) return;
          await next.ack();
        }
      }),
    ],
    own,
  );
  await held.reached;
  await turn();
  expect(got).toEqual([]);
  held.release();
  await running.wait();
  expect(got).toEqual([7, undefined]);
  expect(own.lines).toEqual(["open write", "append write:numbers@root/write#1 1 7", "ack /read 1"]);
});

test("STR-3 messages in flight take room, and sends are asked for in the order of their calls", async () => {
  const own = streamHooksOfTest();
  const [first, second] = [own.hold("append"), own.hold("append")];
  const read = deferred();
  const write = node("write", { provides: [numbers] }, async (_, { open }) => {
    const out = await open(numbers);
    await Promise.all([1, 2, 3, 4, 5].map((value) => out.send(value)));
  });
  const running = started(
    [
      write,
      reading(async (reader) => {
        await read.promise;
        await readAll(reader);
      }),
    ],
    own,
  );
  await second.reached;
  await turn();
  expect(own.calls.filter(({ hook }) => hook === "append")).toHaveLength(2);
  first.release();
  second.release();
  read.resolve();
  await running.wait();
  expect(own.lines.filter((line) => line.startsWith("append")).map((line) => line.at(-1))).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
  ]);
});

test("STR-2 STR-22 answers that come out of order are delivered in the order of their sequences, and the position is the last one's", async () => {
  const own = streamHooksOfTest();
  const late = own.hold("append");
  // The account numbers when it answers: these two are told by hand.
  own.answer("append", () => ({ sequence: 2, read: () => 20 }));
  own.answer("append", () => ({ sequence: 1, read: () => 10 }));
  const got: number[] = [];
  let out: StreamWriter<number> | undefined;
  const write = node("write", { provides: [numbers] }, async (_, { open }) => {
    out = await open(numbers);
    const sends = [out.sendAt("first", 1), out.sendAt("second", 2)];
    await turn();
    late.release();
    await Promise.all(sends);
  });
  const running = started(
    [
      write,
      reading(async (reader) => {
        for await (const value of reader.values()) got.push(value);
      }),
    ],
    own,
  );
  await running.wait();
  // The second call was answered first, as message 2; then the first one, as message 1.
  expect(got).toEqual([10, 20]);
  expect(out?.position()).toBe("second");
});

test("STR-36 STR-43 what the source's end refuses is an answer: false, or a business failure, and the run is not unreliable", async () => {
  const own = streamHooksOfTest();
  own.answer("append", () => ({ refused: "unread" }));
  const sent: boolean[] = [];
  const write = node("write", { provides: [numbers] }, async (_, { open }) => {
    sent.push(await (await open(numbers)).send(1));
  });
  await started([write, reading((reader) => reader.stop())], own).wait();
  expect(sent).toEqual([false]);
  const other = streamHooksOfTest();
  other.answer("commit", () => ({ refused: "failed" }));
  const refused: unknown[] = [];
  const running = started(
    [
      writing(1),
      reading(async (reader) => {
        refused.push(await rejection(Promise.resolve((await reader.receive())?.ack())));
        await reader.stop();
      }),
    ],
    other,
  );
  await running.wait();
  expectCode(refused[0], "PULSE_STREAM_FAILED");
});

test("STR-8 STR-25 CKPT-34 readers see the failed end when it is confirmed with its node, by one call", async () => {
  const own = streamHooksOfTest();
  const held = own.hold("finish");
  const ends: unknown[] = [];
  const caught = aspect("caught", async (_context, next) => next().catch(() => {}));
  const inner = graph("inner", {
    outputs: [numbers],
    nodes: [
      node("write", { provides: [numbers] }, async (_, { open }) => {
        await (await open(numbers)).send(1);
        throw boom;
      }),
    ],
  });
  const running = started(
    [
      mount("inner", inner, { aspects: [caught] }),
      reading(async (reader) => {
        await (await reader.receive())?.ack();
        ends.push(await rejection(reader.receive()));
      }),
    ],
    own,
  );
  await held.reached;
  await turn();
  expect(ends).toEqual([]);
  held.release();
  // The reader has not reached an end, nor stopped.
  await running.wait().catch(() => {});
  expectCode(ends[0], "PULSE_STREAM_FAILED");
  expect(own.lines.filter((line) => line.startsWith("finish"))).toEqual(["finish inner/write"]);
});

test("STR-44 a reader that is skipped stops its group in the save that commits it", async () => {
  const stops: unknown[] = [];
  const gate = key("gate", type<number>("gate"));
  const plain = streamHooksOfTest();
  const own = streamHooksOfTest({
    commit: (request) => {
      if (request.stops !== undefined) stops.push([request.path, request.stops.map(({ group }) => group)]);
      return plain.hooks.commit(request);
    },
  });
  const opened = deferred();
  const write = node("write", { provides: [numbers] }, async (_, { open }) => {
    const out = await open(numbers);
    opened.resolve();
    for (const value of [1, 2, 3, 4]) await out.send(value);
  });
  const skips = node("skips", { provides: [gate] }, async (_, { skip }) => {
    await opened.promise;
    return { gate: skip(gate) };
  });
  const read = node("read", { requires: [numbers, gate] }, async ({ gate: needed, numbers: reader }) => {
    expect(needed).toBeDefined();
    await readAll(reader);
  });
  await started([write, skips, read, reading(readAll, "other")], own).wait();
  expect(stops).toEqual([["read", ["/read"]]]);
});

test("STR-46 what a try held while its acknowledgement was being confirmed is not delivered again", async () => {
  const own = streamHooksOfTest();
  const held = own.hold("commit");
  const got: (readonly [number, number])[] = [];
  const read = node(
    "read",
    { requires: [numbers], aspects: [retry({ limit: 2 })] },
    async ({ numbers: reader }, { attempt }) => {
      for await (const delivery of reader) {
        got.push([attempt, delivery.value]);
        if (attempt === 1 && delivery.value === 1) {
          void delivery.ack();
          throw boom;
        }
        await delivery.ack();
      }
    },
  );
  const running = started([writing(1, 2), read], own);
  await held.reached;
  held.release();
  await running.wait();
  expect(got).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test("STR-40 STR-7 an acknowledgement of an older delivery is an error of the caller, twice is harmless, and neither asks a hook", async () => {
  const own = streamHooksOfTest();
  const kept: StreamDelivery<number>[] = [];
  const errors: unknown[] = [];
  const read = node(
    "read",
    { requires: [numbers], aspects: [retry({ limit: 2 })] },
    async ({ numbers: reader }, { attempt }) => {
      for await (const delivery of reader) {
        kept.push(delivery);
        if (attempt === 1) throw boom;
        await Promise.all([delivery.ack(), delivery.ack()]);
        await delivery.ack();
      }
      errors.push(await rejection((kept[0] as StreamDelivery<number>).ack()));
    },
  );
  await started([writing(1), read], own).wait();
  expectCode(errors[0], "PULSE_USAGE");
  expect(own.calls.filter(({ hook }) => hook === "commit")).toHaveLength(1);
});
