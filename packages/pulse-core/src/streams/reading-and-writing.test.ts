import { inspect } from "node:util";
import { expect, test } from "vitest";
import { execution, graph, isPulseError, key, node, optional, run, type } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { turn } from "../testing/deferred.ts";
import { expectCode, rejection, rejectionOf, thrownBy } from "../testing/rejection.ts";
import { stream } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 4 });
const few = stream("few", type<number>("number"), { capacity: 1 });
const sum = key("sum", type<number>());
const list = key("list", type<readonly unknown[]>());

const count = (upTo: number) =>
  node("count", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let next = 1; next <= upTo; next++) await writer.send(next);
  });
const keepAll = node("keep", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
  const kept: number[] = [];
  for await (const value of reader.values()) kept.push(value);
  return { list: kept };
});
const from1 = (upTo: number): number[] => Array.from({ length: upTo }, (_, at) => at + 1);

test("STR-1 STR-2 STR-6 a stream goes from its writer to a reader, in order, sequences from 1 without gaps", async () => {
  const seen: number[] = [];
  const add = node("add", { requires: [numbers], provides: [sum] }, async ({ numbers: reader }) => {
    let total = 0;
    for await (const { value, sequence, ack } of reader) {
      seen.push(sequence);
      total += value;
      await ack();
    }
    return { sum: total };
  });
  const outcome = await run(graph("g", { outputs: [sum], nodes: [count(100), add] }), {});
  expect(outcome.values.sum).toBe(5050);
  expect(seen).toEqual(from1(100));
});

test("STR-6 values() acknowledges each when the next is asked for", async () => {
  const pending: unknown[] = [];
  const look = node("look", { requires: [numbers] }, async ({ numbers: reader }) => {
    for await (const value of reader.values()) pending.push([value, handle.snapshot().streams[0]?.groups[0]?.frontier]);
  });
  const handle = execution(graph("g", { nodes: [count(3), look] }), {});
  handle.start();
  await handle.wait();
  expect(pending).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
});

test("STR-1 a stream is ready as soon as it is opened, long before its writer ends", async () => {
  const order: string[] = [];
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    await turn();
    order.push("writes on");
    await writer.send(1);
  });
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    order.push("reads");
    for await (const value of reader.values()) order.push(`got ${value}`);
  });
  await run(graph("g", { nodes: [write, read] }), {});
  expect(order).toEqual(["reads", "writes on", "got 1"]);
});

test("STR-38 a stream that is never opened is skipped, and so is its reader", async () => {
  const idle = node("idle", { provides: [numbers] }, () => {});
  const outcome = await run(graph("g", { outputs: [list], nodes: [idle, keepAll] }), {});
  expect(outcome.outputs.list).toEqual({ state: "skipped" });
});

test("STR-38 a reader that requires a skipped stream as optional has none", async () => {
  const idle = node("idle", { provides: [numbers] }, () => {});
  const read = node("read", { requires: [optional(numbers)], provides: [list] }, ({ numbers: reader }) => ({
    list: [reader],
  }));
  expect((await run(graph("g", { outputs: [list], nodes: [idle, read] }), {})).values.list).toEqual([undefined]);
});

test("STR-38 a stream that was opened and got no message is empty and completed", async () => {
  const outcome = await run(graph("g", { outputs: [list], nodes: [count(0), keepAll] }), {});
  expect(outcome.values.list).toEqual([]);
});

test.each(bothWays)("STR-38 CORE-42 a node that opened a stream cannot be skipped ($how)", async ({ as }) => {
  const write = node("write", { provides: [numbers] }, (_values, { open, skip }) => {
    void open(numbers);
    return as(() => skip());
  });
  const failed = await rejectionOf(run(graph("g", { nodes: [write, keepAll] }), {}), "PULSE_EXECUTION_FAILED");
  const cause = expectCode(failed.cause, "PULSE_USAGE");
  expect(cause.details.rule).toBe("CORE-42");
  expect(cause.message).toContain(`"numbers"`);
});

test("STR-38 CORE-42 an open stream cannot be skipped by name, and a skipped one not opened", async () => {
  const after = node("after", { provides: [numbers] }, async (_values, { open, skip }) => {
    await open(numbers);
    skip(numbers);
  });
  const before = node("before", { provides: [numbers] }, async (_values, { open, skip }) => {
    skip(numbers);
    await open(numbers);
  });
  for (const write of [after, before]) {
    const failed = await rejectionOf(run(graph("g", { nodes: [write, keepAll] }), {}), "PULSE_EXECUTION_FAILED");
    expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("CORE-42");
  }
});

test("STR-38 opening twice gives the same stream", async () => {
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const [one, other] = await Promise.all([open(numbers), open(numbers)]);
    await one.send(1);
    await other.send(2);
  });
  const outcome = await run(graph("g", { outputs: [list], nodes: [write, keepAll] }), {});
  expect(outcome.values.list).toEqual([1, 2]);
});

test("STR-2 position() is what sendAt saved last", async () => {
  const positioned = stream("positioned", type<number>(), { capacity: 2, position: type<{ byte: number }>() });
  const seen: unknown[] = [];
  const write = node("write", { provides: [positioned] }, async (_values, { open }) => {
    const writer = await open(positioned);
    seen.push(writer.position());
    await writer.sendAt({ byte: 10 }, 1);
    seen.push(writer.position()?.byte);
    await writer.send(2);
    seen.push(writer.position()?.byte);
  });
  const read = node("read", { requires: [positioned] }, async ({ positioned: reader }) => {
    for await (const { ack } of reader) await ack();
  });
  await run(graph("g", { nodes: [write, read] }), {});
  expect(seen).toEqual([undefined, 10, 10]);
});

test("STR-1 a node opens and writes only streams that it provides", async () => {
  const other = stream("other", type<number>(), { capacity: 1 });
  const attempts: ((context: never) => unknown)[] = [
    ({ open }: { open(key: unknown): unknown }) => open(other),
    ({ open }: { open(key: unknown): unknown }) => open(sum),
    ({ open }: { open(key: unknown): unknown }) => open(undefined),
    ({ set }: { set(key: unknown, value: unknown): unknown }) => set(numbers, 5),
  ];
  for (const attempt of attempts) {
    const write = node(
      "write",
      { provides: [numbers] },
      async (_values, context) => void (await attempt(context as never)),
    );
    const failed = await rejectionOf(run(graph("g", { nodes: [write, keepAll] }), {}), "PULSE_EXECUTION_FAILED");
    expect(["CORE-9", "STR-1"]).toContain(expectCode(failed.cause, "PULSE_USAGE").details.rule);
  }
  const plain = node("plain", { provides: [sum] }, async (_values, { open }) => {
    await open(sum as never);
    return { sum: 1 };
  });
  const failed = await rejectionOf(run(graph("g", { nodes: [plain] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("CORE-9");
});

test("STR-1 a writer does not read its own stream", async () => {
  const write = node("write", { provides: [numbers] }, async (_values, context) => {
    await context.open(numbers);
    context.get(numbers as never);
  });
  const failed = await rejectionOf(run(graph("g", { nodes: [write, keepAll] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("STR-1");
});

test.each([0, -1, Number.NaN, 1.5, Infinity, 2 ** 53, "4", undefined, null])(
  "STR-1 a capacity of %o is refused",
  (capacity) => {
    const error = expectCode(
      thrownBy(() => stream("s", type<number>(), { capacity: capacity as number })),
      "PULSE_INVALID",
    );
    expect(error.details.problems.map(({ code }) => code)).toEqual(["PULSE_OPTION_INVALID"]);
    expect(error.message).toContain("capacity");
  },
);

test("STR-1 a name that is no text, half of a surrogate pair, is refused", () => {
  const error = expectCode(
    thrownBy(() => stream("\ud800", type<number>(), { capacity: 1 })),
    "PULSE_INVALID",
  );
  expect(error.message).toContain("half of a surrogate pair");
});

test("STR-1 options of a stream that nobody knows are refused, and missing ones", () => {
  for (const options of [{ capacity: 1, capicity: 2 }, undefined])
    expect(
      isPulseError(
        thrownBy(() => stream("s", type<number>(), options as never)),
        "PULSE_INVALID",
      ),
    ).toBe(true);
});

test("STR-2 a body that returns while sends wait for room fails, and says so: none is lost unseen", async () => {
  const write = node("write", { provides: [few] }, async (_values, { open }) => {
    const to = await open(few);
    for (let next = 1; next <= 5; next++) void to.send(next);
  });
  const read = node("read", { requires: [few] }, async ({ few: reader }) => {
    for await (const _ of reader.values());
  });
  const error = await rejectionOf(run(graph("g", { nodes: [write, read] }), {}), "PULSE_EXECUTION_FAILED");
  const { message, details } = expectCode(error.cause, "PULSE_USAGE");
  expect(message).toMatch(/node "write" ended while \d sends on stream "few" waited for room; await each send/);
  expect(details).toMatchObject({ rule: "STR-2", key: "few" });
});

test("a body may take its writer and its reader apart, and print what it was given", async () => {
  const write = node("write", { provides: [few] }, async (values, context) => {
    const { send, position } = await context.open(few);
    await send(1);
    expect(position()).toBeUndefined();
    expect(inspect([values, context])).toContain("write");
  });
  const read = node("read", { requires: [few] }, async (values, context) => {
    const { receive, stop } = values.few;
    expect(await receive()).toMatchObject({ value: 1 });
    expect(inspect([values, context], { depth: 3 })).toContain("read");
    await stop();
  });
  await run(graph("g", { nodes: [write, read] }), {});
});

test("STR-4 a send after the node's chain has ended is refused, and does nothing", async () => {
  let late: Promise<unknown> = Promise.resolve();
  let sendLater: () => void = () => {};
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    await writer.send(1);
    sendLater = () => void (late = writer.send(2));
  });
  const outcome = await run(graph("g", { outputs: [list], nodes: [write, keepAll] }), {});
  sendLater();
  expect(expectCode(await rejection(late), "PULSE_USAGE").details.rule).toBe("CORE-15");
  expect(outcome.values.list).toEqual([1]);
});
