import { graph, key, node } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { z } from "zod";
import { tokensFrom, tokensIn } from "./tokens.ts";

const prompt = key("prompt", z.string());
/** Read live by the host, and by `keep`. The position is the number of tokens that were sent. */
export const tokens = stream("tokens", z.string(), { capacity: 16, position: z.int() });
const text = key("text", z.string());

/** Sends each token as it comes; started again it goes on after the last one that was confirmed. */
const generate = node(
  "generate",
  { requires: [prompt], provides: [tokens], resumable: true },
  async ({ prompt: asked }, { open, signal }) => {
    const writer = await open(tokens);
    let sent = writer.position() ?? 0;
    for await (const token of tokensFrom(asked, sent, signal)) await writer.sendAt(++sent, token);
  },
);

/** Keeps them all, whatever the host does: its group has an account of its own. */
const keep = node(
  "keep",
  { requires: [tokens, prompt], provides: [text] },
  async ({ tokens: reader, prompt: asked }) => ({
    text: await handleMessages(
      reader,
      ({ value, sequence }, message) => {
        const soFar = `${message.state.get() ?? ""}${value}`;
        message.state.set(soFar);
        if (sequence === tokensIn(asked)) message.set(text, soFar);
      },
      { state: z.string() },
    ),
  }),
);

/** A stream that is an output is read by whoever subscribes to it. */
export const tokenGraph = graph("token-stream", {
  inputs: [prompt],
  outputs: [tokens, text],
  nodes: [generate, keep],
});
