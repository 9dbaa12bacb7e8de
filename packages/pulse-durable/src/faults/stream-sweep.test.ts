import { graph, key, node, retry, type } from "@pulse-ts/core";
import type { Outcome } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { memoryStore } from "../memory-store.ts";
import { faultyStore } from "../testing/faulty-store.ts";
import { turn } from "../testing/worker.ts";
import { durableAt } from "./durable-at.ts";

const number = type<number>("number");
const rows = stream("rows", number, { capacity: 4, position: number });
const odd = stream("odd", number, { capacity: 4 });
const sum = key("sum", number);
const tries = key("tries", number);
const odds = key("odds", number);
const messages = 6;

/** A writer by position, a handler whose third message fails first and that sends on, and a reader that leaves before the end. */
function subject() {
  const write = node("write", { provides: [rows], resumable: true }, async (_, { open }) => {
    const out = await open(rows);
    for (let at = (out.position() ?? 0) + 1; at <= messages; at += 1) await out.sendAt(at, at);
  });
  const handle = node(
    "handle",
    { requires: [rows], provides: [sum, tries, odd], resumable: true },
    async (values, context) => {
      await context.open(odd);
      const settled = await handleMessages(
        values.rows,
        ({ value }, message) => {
          if (value === 3 && message.attempt === 1) throw new Error("fails first");
          const before = message.state.get() ?? [0, 0];
          const after: readonly [number, number] = [before[0] + value, before[1] + message.attempt];
          message.state.set(after);
          if (value % 2 === 1) message.send(odd, value);
          if (value !== messages) return;
          message.set(sum, after[0]);
          message.set(tries, after[1]);
        },
        { limit: 2, state: type<readonly [number, number]>("state") },
      );
      return { sum: settled, tries: settled };
    },
  );
  const read = node("read", { requires: [odd], provides: [odds], aspects: [retry({ limit: 2 })] }, async (values) => {
    for await (const { value, ack } of values.odd) {
      if (value !== 5) continue;
      // Out of order, and the rest is left.
      await ack();
      await values.odd.stop();
    }
    return { odds: 1 };
  });
  return graph("sweep", { outputs: [sum, tries, odds], nodes: [write, handle, read] });
}

type Fault = "throw" | "crash" | "interrupt";

interface Disturbed {
  readonly point: string;
  readonly time: number;
  readonly fault: Fault;
}

/** One process; gives its outcome if it had one, and the points that it reached. */
async function live(memory: ReturnType<typeof memoryStore>, disturbed?: Disturbed) {
  const store = faultyStore(memory);
  const host = new AbortController();
  const times = new Map<string, number>();
  let die: () => void = () => {};
  const death = new Promise<undefined>((resolve) => (die = () => resolve(undefined)));
  const pulse = durableAt({ store }, async (point) => {
    const time = (times.get(point) ?? 0) + 1;
    times.set(point, time);
    if (point !== disturbed?.point || time !== disturbed.time) return;
    if (disturbed.fault === "throw") throw new Error(`a fault at ${point}`);
    if (disturbed.fault === "interrupt") return host.abort(new Error("stop"));
    await store.crash();
    die();
    return new Promise<void>(() => {});
  });
  const running: Promise<Outcome | undefined> = pulse
    .runOrResume(subject(), {}, { runId: "run", version: "1", signal: host.signal })
    .catch(() => undefined);
  const outcome = await Promise.race([running, death]);
  await turn();
  await store.crash();
  return { outcome, times };
}

test("DUR-8 STR-21 STR-24 STR-28 STR-48 CKPT-17 a run with streams that fails, dies or is stopped at any of its fault points ends after a resume as an undisturbed one", async () => {
  const undisturbed = await live(memoryStore());
  const wanted = { sum: 21, tries: 7, odds: 1 };
  expect(undisturbed.outcome?.values).toEqual(wanted);
  const hooks = [...undisturbed.times.keys()].filter((point) => point.startsWith("hook streams."));
  expect(hooks).toHaveLength(10);
  for (const [point, count] of undisturbed.times)
    for (const fault of ["throw", "crash", "interrupt"] as const)
      for (const time of new Set([1, Math.ceil(count / 2), count])) {
        const memory = memoryStore();
        const first = await live(memory, { point, time, fault });
        let ended = first.outcome;
        for (let again = 0; ended === undefined && again < 3; again += 1) ended = (await live(memory)).outcome;
        expect([point, time, fault, ended?.values]).toEqual([point, time, fault, wanted]);
      }
}, 60_000);
