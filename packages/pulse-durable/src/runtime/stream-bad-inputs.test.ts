import { graph, key, node, retry, type } from "@pulse-ts/core";
import type { AnyGraph } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import type { StreamDelivery } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { z } from "zod";
import { durable } from "../durable.ts";
import { memoryStore } from "../memory-store.ts";
import type { RunRecord } from "../record/format.ts";
import { lifeUntil, worker } from "../testing/worker.ts";

const rows = stream("rows", z.int(), { capacity: 4, position: z.int() });
const out = stream("out", z.int(), { capacity: 2 });
const total = key("total", z.int());
const call = { runId: "run", version: "1" };

const code = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
const errorFrom = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Runs a graph to its end, and gives the error and the record. */
async function ended(of: AnyGraph): Promise<{ readonly error: unknown; readonly record: RunRecord }> {
  const store = memoryStore();
  // The cast stands for a graph without inputs.
  const error = await errorFrom(durable({ store }).run(of, {} as never, call));
  return { error, record: await store.catalog.read("run") };
}

const readAll = node("read", { requires: [rows] }, async ({ rows: reader }) => {
  for await (const { ack } of reader) await ack();
});

test("STR-2 CODEC-2 a message or a position that cannot be encoded is the sender's own error, and the record does not move", async () => {
  const errors: unknown[] = [];
  const write = node("write", { provides: [rows] }, async (_, { open }) => {
    const to = await open(rows);
    await to.sendAt(1, 1);
    errors.push(await errorFrom(to.send(1.5)), await errorFrom(to.sendAt(0.5, 2)));
    await to.sendAt(2, 2);
  });
  const of = graph("g", { nodes: [write, readAll] });
  const { error, record } = await ended(of);
  expect(error).toBe(undefined);
  expect(errors.map(code)).toEqual(["PULSE_CODEC", "PULSE_CODEC"]);
  // One looks for the fault where it is.
  expect(errors.map((refusal) => (refusal as Error).message.includes("(position)"))).toEqual([false, true]);
  expect([...record.streams.values()]).toMatchObject([{ lastSequence: 2, end: "completed", pending: [] }]);
});

test("STR-10 a node that ends with unread messages fails, and nothing of it is confirmed", async () => {
  const write = node("write", { provides: [rows] }, async (_, { open }) => {
    await (await open(rows)).send(1);
  });
  const read = node("read", { requires: [rows] }, async ({ rows: reader }) => {
    await (await reader.receive())?.ack();
  });
  const of = graph("g", { nodes: [write, read] });
  const { error, record } = await ended(of);
  expect(code(error)).toBe("PULSE_RUN_FAILED");
  expect(String((error as Error).cause)).toContain("before it had reached the end");
  expect([...record.nodes.values()].map(({ nodeId }) => nodeId)).not.toContain("read");
});

test("STR-4 STR-40 a send after the chain has ended is refused, and an acknowledgement after the group's own stop does nothing", async () => {
  let late: Promise<unknown> | undefined;
  let delivery: StreamDelivery<number> | undefined;
  const write = node("write", { provides: [rows] }, async (_, { open }) => {
    const to = await open(rows);
    await to.send(1);
    late = new Promise((resolve) => void setImmediate(() => resolve(errorFrom(to.send(2)))));
  });
  const read = node("read", { requires: [rows] }, async ({ rows: reader }) => {
    delivery = await reader.receive();
    await reader.stop();
  });
  const of = graph("g", { nodes: [write, read] });
  const { record } = await ended(of);
  expect(code(await late)).toBe("PULSE_USAGE");
  expect([...record.streams.values()]).toMatchObject([{ lastSequence: 1, stopped: true }]);
  // After its own stop an acknowledgement does nothing, also of a run that is over.
  await expect(delivery?.ack()).resolves.toBe(undefined);
});

test.each([
  ["more messages than the stream's capacity", "PULSE_USAGE", [1, 2, 3]],
  ["a message that cannot be encoded", "PULSE_CODEC", [0.5]],
] as const)(
  "STR-17 STR-16 REC-14 a handler that sends %s fails its try, and nothing that it staged is recorded",
  async (_what, wanted, sends) => {
    const write = node("write", { provides: [rows] }, async (_, { open }) => {
      await (await open(rows)).send(1);
    });
    const handle = node("handle", { requires: [rows], provides: [out, total] }, async ({ rows: reader }, { open }) => {
      await open(out);
      return {
        total: await handleMessages(reader, (_message, { send, set, state }) => {
          state.set("some");
          set(total, 1);
          for (const value of sends) send(out, value);
        }),
      };
    });
    const read = node("read", { requires: [out] }, async ({ out: reader }) => {
      for await (const value of reader.values()) expect(value).toBe(0);
    });
    const of = graph("g", { outputs: [total], nodes: [write, handle, read] });
    const { error, record } = await ended(of);
    expect(code(error)).toBe("PULSE_RUN_FAILED");
    expect(code((error as Error).cause)).toBe(wanted);
    expect(record.managed.size).toBe(0);
    expect([...record.tries.values()]).toEqual([{ limit: 1, state: "failed" }]);
    expect([...record.streams.values()].map(({ key: name, lastSequence }) => [name, lastSequence])).toContainEqual([
      "out",
      0,
    ]);
  },
);

test("STR-14 a handler that sets a stream inside a value fails its try", async () => {
  const any = key("any", type<unknown>("any"));
  const write = node("write", { provides: [rows] }, async (_, { open }) => {
    await (await open(rows)).send(1);
  });
  const handle = node("handle", { requires: [rows], provides: [any] }, async ({ rows: reader }) => ({
    any: await handleMessages(reader, (_message, { set }) => set(any, { deep: [reader] })),
  }));
  const of = graph("g", { outputs: [any], nodes: [write, handle] });
  const { error } = await ended(of);
  expect(String((error as Error).cause)).toContain(".deep[0]");
});

test("STR-48 DUR-4 a run whose writer cannot continue is refused by name, changes nothing, and says what to declare", async () => {
  const store = memoryStore();
  const stop = new AbortController();
  const write = node("write", { provides: [rows] }, async (_, { open }) => {
    await (await open(rows)).send(1);
    stop.abort(new Error("stop"));
  });
  const of = graph("g", { nodes: [write, readAll] });
  await errorFrom(durable({ store }).run(of, {}, { ...call, signal: stop.signal }));
  const { revision } = (await store.catalog.read("run")).header;
  const error = await errorFrom(durable({ store }).resume(of, {}, call));
  expect(error).toMatchObject({ code: "PULSE_INCOMPATIBLE", details: { next: "new-run-id", runId: "run" } });
  expect((error as Error).message).toContain("resumable: true");
  expect((await store.catalog.read("run")).header.revision).toBe(revision);
});

test("STR-18 CODEC-1 handlers that declare another type for the state than those that wrote it are told so, and no backup is asked for", async () => {
  const memory = memoryStore();
  const handling = (state: z.ZodInt | z.ZodString) => {
    const write = node("write", { provides: [rows], resumable: true }, async (_, { open }) => {
      const to = await open(rows);
      for (let at = (to.position() ?? 0) + 1; at <= 2; at += 1) await to.sendAt(at, at);
    });
    const handle = node("handle", { requires: [rows] }, async (values) => {
      await handleMessages(values.rows, ({ value }, message) => message.state.set(value), { state });
    });
    return graph("g", { nodes: [write, handle] });
  };
  await lifeUntil(memory, handling(z.int()), call, ({ changes }) =>
    changes.some(({ key: entry }) => entry.startsWith("managed/")),
  );
  const error = await errorFrom(durable({ store: memory }).resume(handling(z.string()), {}, call));
  expect(code(error)).toBe("PULSE_CHECKPOINT");
  const { cause } = error as { readonly cause?: unknown };
  expect(cause).toMatchObject({
    code: "PULSE_INCOMPATIBLE",
    details: { what: "codec", path: "handle", next: "same-definition" },
  });
  expect((cause as Error).message).toContain('the state of node "handle" was written with the codec');
  await durable({ store: memory }).resume(handling(z.int()), {}, call);
});

test("STR-40 STR-46 a delivery of an earlier try acknowledges nothing: it is the caller's error, and the record does not move", async () => {
  const { pulse, store } = worker();
  const write = node("write", { provides: [rows] }, async (_, { open }) => {
    await (await open(rows)).send(1);
  });
  let earlier: StreamDelivery<number> | undefined;
  let refusal: unknown;
  let moved: number | undefined;
  const read = node("read", { requires: [rows], aspects: [retry({ limit: 2 })] }, async (values, { attempt }) => {
    const delivery = await values.rows.receive();
    if (attempt === 1) {
      earlier = delivery;
      throw new Error("the first try");
    }
    const { length } = store.saves;
    refusal = await errorFrom((earlier as StreamDelivery<number>).ack());
    moved = store.saves.length - length;
    await delivery?.ack();
    await values.rows.receive();
  });
  await pulse.run(graph("g", { nodes: [write, read] }), {}, call);
  expect(refusal).toMatchObject({ code: "PULSE_USAGE", details: { rule: "STR-40", path: "read", key: "rows" } });
  expect(moved).toBe(0);
});
