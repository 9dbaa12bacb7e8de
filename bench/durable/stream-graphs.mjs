// The graphs of the durable stream workloads: one writer, one reader or handler.
import { graph, key, node, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";

const message = type("message");
const count = type("count");

/**
 * A node that sends `messages` texts of `bytes` bytes, `inFlight` sends under way at once, and one that reads them.
 * `handles`: by handleMessages with a sum in its state, else each is acknowledged by itself, without waiting for it.
 */
export function streamOf({ messages, bytes, inFlight, handles }) {
  const value = "x".repeat(bytes);
  const texts = stream("texts", message, { capacity: Math.max(2 * inFlight, 64), position: count });
  const total = key("total", count);
  const writer = node("writer", { provides: [texts], resumable: true }, async (_, context) => {
    const out = await context.open(texts);
    let next = out.position() ?? 0;
    const lane = async () => {
      while (next < messages) await out.sendAt(++next, value);
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  });
  const reader = node("reader", { requires: [texts], provides: [total] }, async ({ texts: own }) => {
    if (handles)
      return {
        total: await handleMessages(
          own,
          ({ sequence }, message) => {
            const sum = (message.state.get() ?? 0) + 1;
            message.state.set(sum);
            if (sequence === messages) message.set(total, sum);
          },
          { state: count },
        ),
      };
    let read = 0;
    const acks = new Set();
    for await (const delivery of own) {
      read++;
      const ack = delivery.ack().then(() => acks.delete(ack));
      acks.add(ack);
    }
    await Promise.all(acks);
    return { total: read };
  });
  return graph("stream-bench", { outputs: [total], nodes: [writer, reader] });
}
