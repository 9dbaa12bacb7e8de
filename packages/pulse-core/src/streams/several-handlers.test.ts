import { expect, test } from "vitest";
import { graph, key, node, retry, run, type } from "../index.ts";
import { checkpoint } from "../checkpoint/index.ts";
import type { ExecutionOptions } from "../run/options.ts";
import { streamHooksOfTest } from "../testing/stream-hooks.ts";
import { turn } from "../testing/deferred.ts";
import { handleMessages, stream } from "./index.ts";

const orders = stream("orders", type<number>("number"), { capacity: 3 });
const pings = stream("pings", type<number>("number"), { capacity: 3 });
const total = key("total", type<number>("number"));

const ways: readonly [string, () => ExecutionOptions][] = [
  ["in memory", () => ({})],
  ["with hooks", () => ({ checkpoint: checkpoint({ scope: "root", hooks: streamHooksOfTest().hooks }) })],
];
const writers = [orders, pings].map((to) =>
  node(`write-${to.name}`, { provides: [to] }, async (_, { open }) => {
    const out = await open(to as typeof orders);
    for (let next = 1; next <= 10; next++) await out.send(next);
  }),
);

test.each(ways)(
  "STR-15 STR-18 handlers of one node for two streams share its state, and none takes another's back (%s)",
  async (_way, options) => {
    const count = node("count", { requires: [orders, pings], provides: [total] }, async (values) => {
      const add = async (
        _message: unknown,
        { state }: { readonly state: { get(): number | undefined; set(next: number): void } },
      ) => {
        const before = state.get() ?? 0;
        await turn();
        state.set(before + 1);
      };
      const both = [values.orders, values.pings].map((reader) =>
        handleMessages(reader, add, { state: type<number>("count") }),
      );
      const ended = await Promise.all(both);
      return { total: Math.max(...ended.map(({ state = 0 }) => state)) };
    });
    const { values } = await run(graph("g", { outputs: [total], nodes: [...writers, count] }), {}, options());
    expect(values.total).toBe(20);
  },
);

test.each(ways)("STR-18 a handler that touches no state leaves it as it is (%s)", async (_way, options) => {
  const count = node("count", { requires: [orders, pings], provides: [total] }, async (values) => {
    const [{ state = 0 }] = await Promise.all([
      handleMessages(
        values.orders,
        async ({ value }, message) => {
          await turn();
          message.state.set((message.state.get() ?? 0) + value);
        },
        {
          state: type<number>("sum"),
        },
      ),
      handleMessages(values.pings, async () => await turn()),
    ]);
    return { total: state };
  });
  const { values } = await run(graph("g", { outputs: [total], nodes: [...writers, count] }), {}, options());
  expect(values.total).toBe(55);
});

test("STR-6 several next() of values() at once come one after the other: each acknowledges the value before", async () => {
  const seen: number[] = [];
  const [write] = writers;
  const read = node("read", { requires: [orders] }, async ({ orders: reader }) => {
    const values = reader.values();
    for (;;) {
      const two = await Promise.all([values.next(), values.next()]);
      for (const { done, value } of two) if (done !== true) seen.push(value);
      if (two.some(({ done }) => done)) return;
    }
  });
  await run(graph("g", { nodes: [write as (typeof writers)[number], read] }), {});
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("STR-2 STR-32 a position is a copy: what a body makes of it later, its next try does not see", async () => {
  const lines = stream("lines", type<string>("text"), { capacity: 4, position: type<{ n: number }>("place") });
  const seen: string[] = [];
  let failing = true;
  const write = node(
    "write",
    { provides: [lines], resumable: true, aspects: [retry({ limit: 2 })] },
    async (_, { open }) => {
      const out = await open(lines);
      const at = out.position() ?? { n: 0 };
      while (at.n < 5) {
        const line = `line ${at.n++}`;
        if (at.n === 3 && failing) {
          failing = false;
          throw new Error("the source fails");
        }
        await out.sendAt(at, line);
      }
    },
  );
  const read = node("read", { requires: [lines] }, async ({ lines: reader }) => {
    for await (const line of reader.values()) seen.push(line);
  });
  await run(graph("g", { nodes: [write, read] }), {});
  expect(seen).toEqual([0, 1, 2, 3, 4].map((n) => `line ${n}`));
});
