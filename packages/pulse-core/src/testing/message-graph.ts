import { aspect, key, node, type } from "../index.ts";
import { handleMessages, stream } from "../streams/index.ts";
import type { Message, MessageContext } from "../streams/index.ts";

/** A writer of numbers, a node that handles them as messages, and one that keeps what the handlers send. */

export const numbers = stream("numbers", type<number>("number"), { capacity: 4 });
export const doubled = stream("doubled", type<number>("number"), { capacity: 2, position: type<number>() });
export const total = key("total", type<number>());
export const list = key("list", type<readonly number[]>());

export const writer = (upTo: number) =>
  node("write", { provides: [numbers] }, async (_values, { open }) => {
    const to = await open(numbers);
    for (let next = 1; next <= upTo; next++) await to.send(next);
  });
export const keep = node("keep", { requires: [doubled], provides: [list] }, async ({ doubled: reader }) => {
  const seen: number[] = [];
  for await (const value of reader.values()) seen.push(value);
  return { list: seen };
});

export type Handler = (message: Message<number>, context: MessageContext<number>) => void | Promise<void>;
const once = aspect("once", async (_context, next) => next());
export const handling = (
  handler: Handler,
  options: { limit?: number; maxStaged?: number } = {},
  ...aspects: (typeof once)[]
) =>
  node(
    "sum",
    { requires: [numbers], provides: [total, doubled], aspects, resumable: true },
    async ({ numbers: reader }) => ({
      total: await handleMessages(reader, handler, { ...options, state: type<number>() }),
    }),
  );
