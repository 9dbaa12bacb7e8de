import { expect, test } from "vitest";
import { aspect, graph, node, retry, run, timeout, type } from "../index.ts";
import { handling, keep, list, numbers, total, writer } from "../testing/message-graph.ts";
import type { Handler } from "../testing/message-graph.ts";
import { rejectionOf } from "../testing/rejection.ts";
import { handleMessages } from "./index.ts";
import type { Message } from "./index.ts";

const boom = new Error("boom");
const failing = ({ sequence }: Message<number>): void => {
  if (sequence === 2) throw boom;
};

test("STR-16 a message whose budget is used up fails the node, whatever its body makes of it", async () => {
  const ways: ((error: unknown, context: { skip(): never }) => unknown)[] = [
    () => undefined,
    (_error, { skip }) => skip(),
    () => {
      throw new Error("another");
    },
  ];
  for (const way of ways) {
    const read = node("sum", { requires: [numbers] }, async ({ numbers: reader }, context) => {
      try {
        await handleMessages(reader, failing);
      } catch (error) {
        await way(error, context);
      }
    });
    const failed = await rejectionOf(run(graph("g", { nodes: [writer(5), read] }), {}), "PULSE_EXECUTION_FAILED");
    expect(failed.cause).toBe(boom);
  }
});

test("STR-16 STR-39 no aspect and no retry of the node's chain turns it into success or runs it again", async () => {
  let calls = 0;
  const handler: Handler = (message) => {
    calls++;
    failing(message);
  };
  const swallow = aspect("swallow", async (_context, next) => next().catch(() => {}));
  const twice = aspect("twice", async (_context, next) => next().catch(() => next()));
  for (const around of [[retry({ limit: 5 })], [swallow], [twice], [swallow, retry({ limit: 5 }), timeout(60_000)]]) {
    calls = 0;
    const nodes = [writer(5), handling(handler, { limit: 2 }, ...around), keep];
    const failed = await rejectionOf(run(graph("g", { outputs: [list], nodes }), {}), "PULSE_EXECUTION_FAILED");
    expect(failed.cause).toBe(boom);
    expect(calls).toBe(3);
  }
});

test("STR-39 acknowledgements, state and contributed values survive the tries of a retry, which refills no message budget", async () => {
  const tries: unknown[] = [];
  let bodies = 0;
  const handler: Handler = ({ sequence }, { attempt, state, set }) => {
    tries.push([bodies, sequence, attempt, state.get()]);
    if (sequence === 1) set(total, 7);
    state.set(sequence);
    if (sequence === 2 && attempt < 3) throw new Error("message");
  };
  const read = node(
    "sum",
    { requires: [numbers], provides: [total], aspects: [retry({ limit: 3 })] },
    async ({ numbers: reader }) => {
      bodies++;
      // The first try of the chain fails by itself in the middle of a message's second try.
      const stopping: Handler = async (message, context) => {
        if (bodies === 1 && message.sequence === 2 && context.attempt === 2) {
          fail();
          await new Promise(() => {});
        }
        await handler(message, context);
      };
      let fail!: () => void;
      const failed = new Promise<never>((_resolve, reject) => (fail = () => reject(new Error("chain"))));
      const handled = handleMessages(reader, stopping, { limit: 3, state: type<number>() });
      return { total: await Promise.race([handled, failed]) };
    },
  );
  const outcome = await run(graph("g", { outputs: [total], nodes: [writer(3), read] }), {});
  expect(outcome.values.total).toBe(7);
  expect(tries).toEqual([
    [1, 1, 1, undefined],
    [1, 2, 1, 1],
    [2, 2, 2, 1],
    [2, 2, 3, 1],
    [2, 3, 1, 2],
  ]);
});
