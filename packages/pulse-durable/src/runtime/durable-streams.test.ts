import { graph, key, node, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { alwaysResume } from "../always-resume.ts";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 64, position: type<number>("position") });
const halves = stream("halves", type<number>("half"), { capacity: 4 });
const total = key("total", type<number>());
const seen = key("seen", type<number>());
const call = { runId: "run", version: "1" };

/** A writer that goes on from its position, a handler with a state that sends on, and two readers. */
function feed(count: number) {
  const write = node("write", { provides: [numbers], resumable: true }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let next = (writer.position() ?? 0) + 1; next <= count; next += 1) await writer.sendAt(next, next);
    return {};
  });
  const parse = node("parse", { requires: [numbers], provides: [halves], resumable: true }, async ({ numbers }) => {
    await handleMessages(
      numbers,
      ({ value }, { state, send }) => {
        state.set(((state.get() as number | undefined) ?? 0) + 1);
        if (value % 2 === 0) send(halves, value / 2);
      },
      { limit: 2 },
    );
    return {};
  });
  const sum = node("sum", { requires: [halves], provides: [total] }, async ({ halves }) => {
    const handled = await handleMessages(
      halves,
      ({ value }, context) => {
        const sum = (context.state.get() ?? 0) + value;
        context.state.set(sum);
        if (value === Math.floor(count / 2)) context.set(total, sum);
      },
      { state: type<number>("state") },
    );
    return { total: handled };
  });
  const tally = node("tally", { requires: [numbers], provides: [seen] }, async ({ numbers }) => {
    const handled = await handleMessages(
      numbers,
      ({ sequence }, context) => {
        const counted = (context.state.get() ?? 0) + 1;
        context.state.set(counted);
        if (sequence === count) context.set(seen, counted);
      },
      { state: type<number>("counted") },
    );
    return { seen: handled };
  });
  return graph("feed", { outputs: [total, seen], nodes: [write, parse, sum, tally] });
}

test("STR-22 STR-34 a run with streams is recorded and gives what it gives in memory", async () => {
  const store = memoryStore();
  const outcome = await durable({ store }).run(feed(6), {}, call);
  expect(outcome.values).toEqual({ total: 6, seen: 6 });
  const record = await store.catalog.read("run");
  expect(record.messages.size).toBe(0);
  expect([...record.streams.values()].map(({ end, lastSequence }) => [end, lastSequence])).toEqual([
    ["completed", 6],
    ["completed", 6],
    ["completed", 3],
  ]);
  expect((await durable({ store }).resume(feed(6), {}, call)).values).toEqual({ total: 6, seen: 6 });
});

test("DUR-8 DUR-16 STR-21 a run with streams that is stopped at every save ends as an undisturbed one", async () => {
  for (const stop of ["interrupt", "lost", "uncertain"] as const) {
    const { outcome, resumes } = await alwaysResume(() => feed(6), {}, { stop });
    expect(outcome.values).toEqual({ total: 6, seen: 6 });
    expect(resumes).toBeGreaterThan(10);
  }
});

test("DUR-9 sends that are made at once share saves", async () => {
  const store = memoryStore();
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    await Promise.all(Array.from({ length: 64 }, (_, at) => writer.send(at)));
    return {};
  });
  const read = node("read", { requires: [numbers] }, async ({ numbers }) => {
    await numbers.stop();
  });
  const wait = node("wait", { requires: [numbers] }, async ({ numbers }) => {
    for await (const { ack } of numbers) await ack();
  });
  let saves = 0;
  const observers = [({ kind }: { readonly kind: string }) => void (kind === "run-saved" && (saves += 1))];
  await durable({ store }).run(graph("burst", { nodes: [write, read, wait] }), {}, { ...call, observers });
  const lasts = [...(await store.catalog.read("run")).streams.values()].map(({ lastSequence }) => lastSequence);
  expect(lasts).toEqual([64, 64]);
  // The acknowledgements are made one after the other, and each is a save of its own.
  expect(saves).toBeLessThan(64 + 10);
});

test("REC-9 verify: all takes messages, positions and states too", async () => {
  const store = memoryStore();
  const stop = new AbortController();
  const halt = ({ kind }: { readonly kind: string }): void => {
    if (kind === "run-saved" && (saved += 1) === 8) stop.abort(new Error("stop"));
  };
  let saved = 0;
  await expect(
    durable({ store }).run(feed(6), {}, { ...call, signal: stop.signal, observers: [halt] }),
  ).rejects.toThrow("interrupted");
  expect((await store.catalog.read("run")).messages.size).toBeGreaterThan(0);
  const outcome = await durable({ store }).resume(feed(6), {}, { ...call, verify: "all" });
  expect(outcome.values).toEqual({ total: 6, seen: 6 });
});
