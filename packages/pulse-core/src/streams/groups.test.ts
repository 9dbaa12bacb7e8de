import { expect, test } from "vitest";
import { execution, graph, key, node, optional, retry, run, type } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { expectCode, rejection, rejectionOf, thrownBy } from "../testing/rejection.ts";
import { reading, stream } from "./index.ts";
import type { StreamDelivery } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 8 });
const list = key("list", type<readonly number[]>());

const writer = (upTo: number) =>
  node("write", { provides: [numbers] }, async (_values, { open }) => {
    const to = await open(numbers);
    for (let next = 1; next <= upTo; next++) await to.send(next);
  });

test("STR-5 each reading node is a group of its own and gets every message, in order", async () => {
  const seen: Record<string, number[]> = {};
  const readers = ["a", "b", "c"].map((id) =>
    node(id, { requires: [numbers] }, async ({ numbers: reader }) => {
      for await (const value of reader.values()) (seen[id] ??= []).push(value);
    }),
  );
  await run(graph("g", { nodes: [writer(30), ...readers] }), {});
  const all = Array.from({ length: 30 }, (_, at) => at + 1);
  expect(seen).toEqual({ a: all, b: all, c: all });
});

test("STR-5 readers that name the same group share its messages, each going to one of them", async () => {
  const seen: Record<string, number[]> = { a: [], b: [], alone: [] };
  const worker = (id: string) =>
    node(id, { requires: [reading(numbers, { group: "workers" })] }, async ({ numbers: reader }) => {
      for await (const { value, ack } of reader) {
        seen[id]?.push(value);
        await turn();
        await ack();
      }
    });
  const alone = node("alone", { requires: [numbers] }, async ({ numbers: reader }) => {
    for await (const value of reader.values()) seen["alone"]?.push(value);
  });
  const handle = execution(graph("g", { nodes: [writer(20), worker("a"), worker("b"), alone] }), {});
  handle.start();
  await handle.wait();
  const { a = [], b = [], alone: whole = [] } = seen;
  expect([...a, ...b].toSorted((x, y) => x - y)).toEqual(whole);
  expect(whole.length).toBe(20);
  expect(Math.min(a.length, b.length)).toBeGreaterThan(3);
  expect(handle.snapshot().streams[0]?.groups.map(({ name, readers }) => [name, readers])).toEqual([
    ["workers", ["a", "b"]],
    ["/alone", ["alone"]],
  ]);
});

test.each(["", "a/b", "/alone", "\ud800", undefined, 7])(
  "STR-5 the group name %o is refused: paths cannot be written by hand",
  (group) => {
    const error = expectCode(
      thrownBy(() => reading(numbers, { group: group as string })),
      "PULSE_INVALID",
    );
    expect(error.details.problems[0]?.code).toBe("PULSE_NAME_INVALID");
  },
);

test("STR-5 a message that a leaving reader held goes to the others of its group", async () => {
  const seen: number[] = [];
  const go = deferred();
  const leaving = node(
    "leaving",
    {
      requires: [reading(numbers, { group: "workers" })],
      aspects: [
        {
          kind: "aspect",
          name: "answers",
          run: async (_context, next) => {
            await next().catch(() => {});
          },
        },
      ],
    },
    async ({ numbers: reader }) => {
      await reader.receive();
      await go.promise;
      throw new Error("leaves");
    },
  );
  const staying = node(
    "staying",
    { requires: [reading(numbers, { group: "workers" })] },
    async ({ numbers: reader }) => {
      for await (const { value, ack } of reader) {
        seen.push(value);
        await ack();
        if (value === 2) go.resolve();
      }
    },
  );
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const to = await open(numbers);
    for (const value of [1, 2, 3]) await to.send(value);
    await go.promise;
    await turn();
  });
  const failed = await rejection(run(graph("g", { nodes: [write, leaving, staying] }), {}));
  // The aspect swallowed the failure, so the node ended before the end of its group's stream (STR-10).
  expect(expectCode(expectCode(failed, "PULSE_EXECUTION_FAILED").cause, "PULSE_USAGE").details.rule).toBe("STR-10");
  expect(seen.slice(0, 2)).toEqual([2, 3]);
});

test("STR-7 acknowledging out of order is allowed, twice is harmless, and a gap holds the frontier", async () => {
  const frontiers: (number | undefined)[] = [];
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    const held: StreamDelivery<number>[] = [];
    for await (const delivery of reader) held.push(delivery);
    for (const sequence of [1, 2, 3, 5, 6, 7]) {
      await held[sequence - 1]?.ack();
      await held[sequence - 1]?.ack();
      frontiers.push(handle.snapshot().streams[0]?.groups[0]?.frontier);
    }
    expect(handle.snapshot().streams[0]?.groups[0]?.pending).toBe(1);
    await held[3]?.ack();
    frontiers.push(handle.snapshot().streams[0]?.groups[0]?.frontier);
  });
  const handle = execution(graph("g", { nodes: [writer(7), read] }), {});
  handle.start();
  await handle.wait();
  expect(frontiers).toEqual([1, 2, 3, 3, 3, 3, 7]);
});

test("STR-40 after its own stop a group's acknowledgement does nothing, and receive gives the end", async () => {
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    const first = await reader.receive();
    await reader.stop();
    await first?.ack();
    expect(await reader.receive()).toBeUndefined();
  });
  const handle = execution(graph("g", { nodes: [writer(3), read] }), {});
  handle.start();
  await handle.wait();
  expect(handle.snapshot().streams[0]?.groups[0]).toMatchObject({ state: "stopped", frontier: 0, delivered: 1 });
});

test("STR-46 STR-40 what a failed try received and did not acknowledge is delivered again; the older deliveries can acknowledge nothing", async () => {
  const tries: number[][] = [];
  let older: StreamDelivery<number> | undefined;
  let refusal: unknown;
  const read = node(
    "read",
    { requires: [numbers], aspects: [retry({ limit: 2 })] },
    async ({ numbers: reader }, { attempt }) => {
      const seen: number[] = [];
      tries.push(seen);
      for await (const delivery of reader) {
        seen.push(delivery.value);
        if (attempt === 1 && delivery.value === 2) older = delivery;
        else if (attempt === 1 && delivery.value === 5) throw new Error("once");
        else await delivery.ack();
        if (attempt === 2 && delivery.value === 2) {
          refusal = await rejection(older?.ack() as Promise<void>);
          expect(handle.snapshot().streams[0]?.groups[0]).toMatchObject({ frontier: 4, pending: 5 });
        }
      }
    },
  );
  const handle = execution(graph("g", { nodes: [writer(9), read] }), {});
  handle.start();
  await handle.wait();
  expect(tries).toEqual([
    [1, 2, 3, 4, 5],
    [2, 5, 6, 7, 8, 9],
  ]);
  expect(expectCode(refusal, "PULSE_USAGE").details.rule).toBe("STR-40");
});

test("STR-46 a try that had reached the end must reach it again when messages come again", async () => {
  const read = node(
    "read",
    { requires: [numbers], aspects: [retry({ limit: 2 })] },
    async ({ numbers: reader }, { attempt }) => {
      if (attempt === 2) return;
      for await (const { sequence } of reader) if (sequence === 99) return;
      throw new Error("once");
    },
  );
  const failed = await rejectionOf(run(graph("g", { nodes: [writer(2), read] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("STR-10");
});

test("STR-10 STR-5 a reader that was given the end may return while another of its group reads anew what it gave back", async () => {
  const [ended, begun, returned] = [deferred(), deferred(), deferred()];
  const again: number[] = [];
  const group = reading(numbers, { group: "shared" });
  const a = node("a", { requires: [group] }, async ({ numbers: reader }) => {
    for await (const { ack } of reader) await ack();
    ended.resolve();
    await begun.promise;
    void turn().then(returned.resolve);
  });
  const spec = { requires: [group], aspects: [retry({ limit: 2 })] };
  const b = node("b", spec, async ({ numbers: reader }, { attempt }) => {
    if (attempt === 1) {
      await reader.receive();
      await ended.promise;
      throw new Error("b");
    }
    begun.resolve();
    await returned.promise;
    for await (const value of reader.values()) again.push(value);
  });
  await run(graph("g", { nodes: [writer(4), b, a] }), {});
  expect(again).toHaveLength(1);
});

test("STR-5 STR-6 several receives at once are served in order; an optional reader is a group as well", async () => {
  const read = node("read", { requires: [optional(numbers)], provides: [list] }, async ({ numbers: reader }) => {
    const got = await Promise.all(Array.from({ length: 5 }, async () => reader?.receive()));
    expect(got[4]).toBeUndefined();
    return { list: got.flatMap((delivery) => delivery?.value ?? []) };
  });
  expect((await run(graph("g", { outputs: [list], nodes: [writer(4), read] }), {})).values.list).toEqual([1, 2, 3, 4]);
});
