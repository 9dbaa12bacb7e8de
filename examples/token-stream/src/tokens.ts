/** Stands in for a language model: the same prompt gives the same tokens, from any place in them. */
export async function* tokensFrom(prompt: string, from: number, signal: AbortSignal): AsyncGenerator<string> {
  const words = prompt.split(/\s+/u).filter((word) => word !== "");
  let state = 7;
  for (let at = 0; at < tokensIn(prompt); at += 1) {
    signal.throwIfAborted();
    state = (Math.imul(state, 31) + at) >>> 0;
    if (at < from) continue;
    // A model takes its time over each; one turn of the event loop is enough to show that they come one by one.
    await new Promise((resolve) => void setImmediate(resolve));
    yield `${words[state % words.length] ?? "…"}${at % 12 === 11 ? ".\n" : " "}`;
  }
}

/** How many tokens a prompt gives. */
export const tokensIn = (prompt: string): number => 60 + (prompt.length % 7);
