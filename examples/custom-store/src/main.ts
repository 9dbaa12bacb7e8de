import { attach, isPulseError } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { keyValueClient } from "./key-value-client.ts";
import { startKeyValueService } from "./key-value-service.ts";
import { keyValueStore } from "./key-value-store.ts";
import { outside, parcel } from "./parcel.ts";

const service = await startKeyValueService();
const say = (text: string): void => console.log(text);

/** All that a program of its own would do: nothing but the service's address is left from one call to the next. */
async function deliver(signal: AbortSignal, midway: () => Promise<void>): Promise<void> {
  await using pulse = durable({ store: keyValueStore(keyValueClient(service.url), service.url) });
  try {
    const outcome = await pulse.runOrResume(
      parcel,
      { order: "a lantern" },
      { runId: "parcel-1", version: "1", signal, attachments: [attach(outside, { say, midway })] },
    );
    say(outcome.values.receipt);
  } catch (error) {
    if (!isPulseError(error, "PULSE_INTERRUPTED")) throw error;
    const { status, revision } = await pulse.inspect("parcel-1");
    say(`interrupted: ${status}, revision ${revision}`);
  }
}

say("— the first time");
const interruption = new AbortController();
await deliver(interruption.signal, async () => interruption.abort(new Error("somebody pulled the plug")));

say("— the second time");
await deliver(new AbortController().signal, async () => {});

say("— what the service holds");
for (const key of await keyValueClient(service.url).keys({ prefix: "", after: "", limit: 10 })) say(key);
await service.close();
