import { createCodecs, defineCodec, json, structured } from "@pulse-ts/codec";
import { graph, isPulseError, key, node, retry, timeout, type } from "@pulse-ts/core";
import type { OutcomeOf } from "@pulse-ts/core";
import { durable, memoryStore } from "@pulse-ts/durable";
import type { RunEvent, RunInspection, RunObserver, Store } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import assert from "node:assert/strict";
import { join } from "node:path";
import { z } from "zod";

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}
const moneySchema = z.instanceof(Money);
const order = z.object({ item: z.string(), placed: z.date(), pieces: z.int().optional() });
const seen = type<Map<string, Set<bigint>>>("seen");

const orderKey = key("order", order);
const price = key("price", moneySchema);
const log = key("log", seen);
const receipt = key("receipt", z.string());

const priced = node("priced", { requires: [orderKey], provides: [price], aspects: [timeout(60_000)] }, ({ order }) => ({
  price: new Money((order.pieces ?? 1) * 1_000 + (order.placed instanceof Date ? 1 : 0)),
}));
const logged = node(
  "logged",
  { requires: [orderKey], provides: [log], aspects: [retry({ limit: 3 })] },
  ({ order }) => ({
    log: new Map([[order.item, new Set([1n, 2n])]]),
  }),
);
const billed = node("billed", { requires: [price, log], provides: [receipt] }, ({ price, log }) => ({
  receipt: `${price.cents} for ${[...log.keys()].join()} of ${log.get("lamp")?.size ?? 0}`,
}));
const buying = graph("buying", { inputs: [orderKey], outputs: [receipt, log], nodes: [priced, logged, billed] });

function codecs(): ReturnType<typeof createCodecs> {
  const codecs = createCodecs();
  codecs.register(json(order, { id: "order", version: "1" }));
  codecs.register(structured(seen, { id: "seen", version: "1" }));
  codecs.register(
    defineCodec({
      type: moneySchema,
      id: "money",
      version: "1",
      encode: (value) => new TextEncoder().encode(String(value.cents)),
      decode: (bytes) => new Money(Number(new TextDecoder().decode(bytes))),
    }),
  );
  return codecs;
}

/** Runs, resumes, inspects and lists on both stores that come with Pulse; throws unless all is as the documentation says. */
export async function runDurably(folder: string): Promise<string> {
  await runOn(memoryStore());
  await runOn(fileStore({ folder: join(folder, "runs") }));
  return "durable";
}

async function runOn(store: Store): Promise<void> {
  await using pulse = durable({ store, codecs: codecs() });
  const saved: RunEvent[] = [];
  const observer: RunObserver = (event) => void (event.kind === "run-saved" && saved.push(event));
  const inputs = { order: { item: "lamp", placed: new Date(0) } };
  const options = { runId: "buy/1", version: "1", observers: [observer] };

  const outcome: OutcomeOf<typeof buying> = await pulse.run(buying, inputs, options);
  assert.equal(outcome.values.receipt, "1001 for lamp of 2");
  assert.deepEqual(outcome.values.log, new Map([["lamp", new Set([1n, 2n])]]));
  assert.ok(saved.length > 0);

  const again = await pulse.resume(buying, inputs, options);
  assert.deepEqual(again.values, outcome.values);

  const inspection: RunInspection = await pulse.inspect("buy/1");
  assert.equal(inspection.status, "completed");
  assert.deepEqual(
    (await store.catalog?.list({ status: "completed" }))?.runs.map(({ runId }) => runId),
    ["buy/1"],
  );

  const other = { order: { ...inputs.order, item: "lantern" } };
  const refused: unknown = await pulse.resume(buying, other, options).catch((error: unknown) => error);
  assert.ok(isPulseError(refused, "PULSE_INCOMPATIBLE"));
  assert.equal(refused.details.runId, "buy/1");

  const busy: unknown = await pulse.run(buying, inputs, options).catch((error: unknown) => error);
  assert.ok(isPulseError(busy, "PULSE_CONFLICT"));
  // @ts-expect-error a run needs an id
  void (() => pulse.run(buying, inputs, { version: "1" }));
  // @ts-expect-error "item" is a text
  void (() => pulse.run(buying, { order: { item: 7, placed: new Date() } }, options));
}
