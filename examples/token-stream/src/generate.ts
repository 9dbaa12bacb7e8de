import { durable } from "@pulse-ts/durable";
import type { Store } from "@pulse-ts/durable";
import type { StreamReader } from "@pulse-ts/core/streams";
import { tokenGraph, tokens } from "./token-graph.ts";

export interface GenerateOptions {
  readonly store: Store;
  readonly prompt: string;
  readonly runId: string;
  /** Told of each token as it is confirmed. */
  readonly show: (token: string, sequence: number) => void;
  /** The host stops reading after this token; the rest is kept all the same. Default: it reads them all. */
  readonly stopAfter?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs the prompt, or goes on with a run that was interrupted; gives the whole text. A token that was shown but not
 * acknowledged before a crash is shown again.
 * @throws what durable and the store throw (DUR-12)
 */
export async function generateText(options: GenerateOptions): Promise<string> {
  const { store, prompt, runId, signal } = options;
  let reading: Promise<void> = Promise.resolve();
  const pulse = durable({ store });
  try {
    const { values } = await pulse.runOrResume(
      tokenGraph,
      { prompt },
      {
        runId,
        version: "1",
        ...(signal === undefined ? {} : { signal }),
        beforeStart(execution) {
          reading = showAll(execution.subscribe(tokens, { group: "screen" }), options);
          reading.catch(() => {});
        },
      },
    );
    // The outcome does not wait for the host, who may still be reading.
    await reading;
    return values.text;
  } finally {
    await pulse.close();
  }
}

async function showAll(reader: StreamReader<string>, { show, stopAfter = Infinity }: GenerateOptions): Promise<void> {
  for await (const { value, sequence, ack } of reader) {
    show(value, sequence);
    await ack();
    if (sequence >= stopAfter) return await reader.stop();
  }
}
