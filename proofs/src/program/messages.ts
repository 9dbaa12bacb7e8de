import { graph, key, mount, node, type } from "@pulse-ts/core";
import { handleMessages, reading, stream } from "@pulse-ts/core/streams";
import type { CrashSubject, NoteBody, NoteMessage } from "@pulse-ts/store-testkit";
import { makeWorld } from "../generated/world.ts";
import { troubled } from "./troubled.ts";

/** Which run of messages: how many there are, and whether the producer is a mount's. */
export interface MessagesInput {
  readonly messages: number;
  readonly mounted: boolean;
}

const number = type<number>("number");

/** One message in so many fails its first try. */
const failsEach = 7;
/** How many sends are under way at once, and how many acknowledgements one reader holds back to make them in another order. */
const inFlight = 5;
const heldBack = 4;

interface Tally {
  readonly count: number;
  readonly sum: number;
  /** The tries of all messages together: a budget that was refilled or lost would change it. */
  readonly tries: number;
}

/**
 * A producer that goes on by its position, a handler that counts in its state and sends on, a group of two readers that
 * acknowledge out of order, one that counts what was sent on, and beside them a mount whose stream fails. Killed anywhere,
 * each message is counted once.
 */
export function messagesOf(input: string, note: NoteBody, noteMessage: NoteMessage): CrashSubject {
  // Written by whoever starts this process.
  const { messages, mounted } = JSON.parse(input) as MessagesInput;
  const numbers = stream("numbers", number, { capacity: 16, position: number });
  const doubled = stream("doubled", number, { capacity: 8 });
  const tally = key("tally", type<Tally>("tally"));
  const twice = key("twice", number);
  const seen = key("seen", number);

  const world = makeWorld(note);
  const started = world.begin;
  const side = troubled(world, noteMessage);

  const produce = node("produce", { provides: [numbers], resumable: true }, async (_, context) => {
    started(context);
    const out = await context.open(numbers);
    let next = out.position() ?? 0;
    const lane = async (): Promise<void> => {
      while (next < messages) {
        const value = ++next;
        await out.sendAt(value, value);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  });
  const count = node(
    "count",
    { requires: [numbers], provides: [tally, doubled], resumable: true },
    async (values, context) => {
      started(context);
      // Opened at once: its readers wait for it.
      await context.open(doubled);
      const settled = await handleMessages(
        values.numbers,
        ({ value, sequence }, message) => {
          noteMessage({ path: context.path, id: message.idempotencyKey, attempt: message.attempt });
          if (value % failsEach === 0 && message.attempt === 1) throw new Error(`message ${sequence} fails first`);
          const before = message.state.get() ?? { count: 0, sum: 0, tries: 0 };
          const after = { count: before.count + 1, sum: before.sum + value, tries: before.tries + message.attempt };
          message.state.set(after);
          message.send(doubled, value * 2);
          if (after.count === messages) message.set(tally, after);
        },
        { limit: 2, state: type<Tally>("tally") },
      );
      return { tally: settled };
    },
  );
  const sumUp = node("sum-up", { requires: [doubled], provides: [twice] }, async (values, context) => {
    started(context);
    return {
      twice: await handleMessages(
        values.doubled,
        ({ value, sequence }, message) => {
          noteMessage({ path: context.path, id: message.idempotencyKey, attempt: message.attempt });
          const sum = (message.state.get() ?? 0) + value;
          message.state.set(sum);
          if (sequence === messages) message.set(twice, sum);
        },
        { state: number },
      ),
    };
  });
  const readerOf = (name: string) =>
    node(name, { requires: [reading(numbers, { group: "shared" })] }, async (values, context) => {
      started(context);
      const held: { ack(): Promise<void> }[] = [];
      for await (const delivery of values.numbers) {
        held.unshift(delivery);
        if (held.length >= heldBack) await Promise.all(held.splice(0, 2).map((each) => each.ack()));
      }
      await Promise.all(held.map((each) => each.ack()));
    });
  const last = node(
    "last",
    { requires: [tally, twice, side.letters], provides: [seen] },
    ({ tally: counted, twice: both, letters }, context) => {
      started(context);
      return { seen: counted.count + both + letters };
    },
  );
  const readers = [count, sumUp, readerOf("left"), readerOf("right"), side.node, last] as const;
  const outputs = [tally, twice, seen] as const;
  const whole = mounted
    ? graph("messages", {
        outputs,
        nodes: [mount("source", graph("source", { outputs: [numbers], nodes: [produce] })), ...readers],
      })
    : graph("messages", { outputs, nodes: [produce, ...readers] });
  return { graph: whole, inputs: {}, version: "1" };
}
