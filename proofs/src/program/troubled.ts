import { graph, key, mount, node, retry, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import type { NoteMessage } from "@pulse-ts/store-testkit";
import type { World } from "../generated/world.ts";

const letters = key("letters", type<number>("number"));
const text = type<string>("text");
const texts = 3;
/** Rests as a content of its own: bigger than what an entry holds itself. */
const textLength = 20_000;

/**
 * A mount whose first try opens a stream, sends big texts and then fails for good: its stream ends as failed, and the second
 * try writes a new one (STR-25, STR-45). `letters` counts what the second one's reader was given.
 */
export function troubled(world: World, noteMessage: NoteMessage) {
  const drops = stream("drops", text, { capacity: 2, position: type<number>("number") });
  const drip = node("drip", { provides: [drops], resumable: true }, async (_, context) => {
    world.begin(context);
    const out = await context.open(drops);
    for (let next = (out.position() ?? 0) + 1; next <= texts; next += 1) {
      await out.sendAt(next, String(next).repeat(textLength));
    }
    if (world.triesAt(context.path, 0)[0] === 1) throw new Error("the first try of the mount fails");
  });
  const measure = node("measure", { requires: [drops], provides: [letters] }, async (values, context) => {
    world.begin(context);
    return {
      letters: await handleMessages(
        values.drops,
        ({ value, sequence }, message) => {
          noteMessage({ path: context.path, id: message.idempotencyKey, attempt: message.attempt });
          const sum = (message.state.get() ?? 0) + value.length;
          message.state.set(sum);
          if (sequence === texts) message.set(letters, sum);
        },
        { state: type<number>("number") },
      ),
    };
  });
  const inner = graph("troubled", { outputs: [letters], nodes: [drip, measure] });
  return { letters, node: mount("side", inner, { aspects: [retry({ limit: 2 }), world.countTry(0)] }) };
}
