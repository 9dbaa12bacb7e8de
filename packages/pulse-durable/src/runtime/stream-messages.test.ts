import { createCodecs, defineCodec } from "@pulse-ts/codec";
import { graph, key, mount, node, PulseError, retry, run, type } from "@pulse-ts/core";
import { handleMessages, stream } from "@pulse-ts/core/streams";
import type { MessageContext } from "@pulse-ts/core/streams";
import { expect, test } from "vitest";
import { z } from "zod";
import { memoryStore } from "../memory-store.ts";
import { entriesOf } from "../record/fold.ts";
import type { SeenSave } from "../testing/faulty-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { lifeUntil, turn, worker } from "../testing/worker.ts";
import { sizeOf } from "./ledger.ts";

const number = type<number>("number");
const rows = stream("rows", number, { capacity: 4, position: number });
const odd = stream("odd", number, { capacity: 4 });
const total = key("total", number);
const call = { runId: "run", version: "1" };

/** Writes the numbers from 1 on, and goes on from its position. */
const writing = (count: number) =>
  node("write", { provides: [rows], resumable: true }, async (_, { open }) => {
    const out = await open(rows);
    for (let at = (out.position() ?? 0) + 1; at <= count; at += 1) await out.sendAt(at, at);
  });

/** A sum over `rows` in the handler's state; `first` is what a test does before. */
function summing(count: number, limit: number, first: (value: number, message: MessageContext<number>) => void) {
  return node("handle", { requires: [rows], provides: [total] }, async (values) => ({
    total: await handleMessages(
      values.rows,
      ({ value }, message) => {
        message.state.set((message.state.get() ?? 0) + value);
        if (value === count) message.set(total, message.state.get() ?? 0);
        first(value, message);
      },
      { limit, state: number },
    ),
  }));
}

const keysOf = ({ changes }: SeenSave): readonly string[] => changes.map(({ key }) => key.split("/")[0] as string);

test("REC-14 STR-15 STR-31 a handled message is one save: acknowledgement, try, state, value and what it sends", async () => {
  const { pulse, store } = worker();
  const handle = node("handle", { requires: [rows], provides: [odd, total] }, async (values, { open }) => {
    await open(odd);
    return {
      total: await handleMessages(values.rows, ({ value }, { send, set, state }) => {
        if (value === 2) return;
        state.set(value);
        send(odd, value);
        set(total, value);
      }),
    };
  });
  const read = node("read", { requires: [odd] }, async (values) => {
    for await (const { ack } of values.odd) await ack();
  });
  await pulse.run(graph("g", { outputs: [total], nodes: [writing(2), handle, read] }), {}, call);
  const handled = store.saves.filter((save) => keysOf(save).includes("try"));
  expect(handled).toHaveLength(2);
  const [whole, plain] = handled as [SeenSave, SeenSave];
  expect(new Set(keysOf(whole))).toEqual(new Set(["stream", "message", "try", "managed"]));
  expect(keysOf(plain)).not.toContain("managed");
  const entries = whole.changes.flatMap((change) => (change.kind === "put" ? [change.entry] : []));
  expect(entries).toContainEqual(expect.objectContaining({ key: "rows", ackedThrough: 1 }));
  expect(entries).toContainEqual(expect.objectContaining({ key: "odd", lastSequence: 1 }));
  expect(entries).toContainEqual({ limit: 1, state: "confirmed" });
});

test("STR-24 DUR-25 DUR-8 the tries of a message are counted over crashes, and its key stays the same and its own", async () => {
  const memory = memoryStore();
  const seen: string[] = [];
  const keys = new Map<number, Set<string>>();
  const of = graph("g", {
    outputs: [total],
    nodes: [
      writing(3),
      summing(3, 3, (value, { attempt, idempotencyKey }) => {
        seen.push(`${value} try ${attempt}`);
        keys.set(value, (keys.get(value) ?? new Set()).add(idempotencyKey));
        if (value === 2 && attempt < 3) throw new Error("not yet");
      }),
    ],
  });
  for (let tries = 1; tries <= 2; tries += 1) {
    await lifeUntil(memory, of, call, (save) =>
      save.changes.some((change) => "entry" in change && isFailedTry(change.entry)),
    );
  }
  expect((await worker(memory).pulse.resume(of, {}, call)).values).toEqual({ total: 6 });
  expect(seen).toEqual(["1 try 1", "2 try 1", "2 try 2", "2 try 3", "3 try 1"]);
  expect([...keys.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
  expect(new Set([...keys.values()].flatMap((each) => [...each])).size).toBe(3);
});

test("STR-18 STR-28 the state at the end is that of the record, also when another process has handled all messages", async () => {
  const memory = memoryStore();
  const handled: number[] = [];
  const handle = node("handle", { requires: [rows], provides: [total] }, async (values) => {
    const { state = 0 } = await handleMessages(
      values.rows,
      ({ value }, message) => {
        handled.push(value);
        message.state.set((message.state.get() ?? 0) + value);
      },
      { state: number },
    );
    return { total: state };
  });
  const of = graph("g", { outputs: [total], nodes: [writing(3), handle] });
  let confirmed = 0;
  await lifeUntil(memory, of, call, (save) => keysOf(save).includes("managed") && ++confirmed === 3);
  expect((await worker(memory).pulse.resume(of, {}, call)).values).toEqual({ total: 6 });
  expect(handled).toEqual([1, 2, 3]);
});

class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }

  plus(more: number): Money {
    return new Money(this.cents + more);
  }
}

test("STR-18 CODEC-13 a state of a class is what its codec makes of it, in the handler and at the end", async () => {
  const memory = memoryStore();
  const money = type<Money>("money");
  const codecs = createCodecs();
  codecs.register(
    defineCodec({
      type: money,
      id: "money",
      version: "1",
      encode: ({ cents }: Money) => new TextEncoder().encode(String(cents)),
      decode: (bytes: Uint8Array) => new Money(Number(new TextDecoder().decode(bytes))),
    }),
  );
  const handle = node("handle", { requires: [rows], provides: [total] }, async (values) => {
    const { state } = await handleMessages(
      values.rows,
      ({ value }, message) => message.state.set((message.state.get() ?? new Money(0)).plus(value)),
      { state: money },
    );
    return { total: state?.plus(0).cents ?? 0 };
  });
  const of = graph("g", { outputs: [total], nodes: [writing(3), handle] });
  expect((await worker(memory, { codecs }).pulse.run(of, {}, call)).values).toEqual({ total: 6 });
  const plain = graph("plain", { outputs: [total], nodes: [writing(3), handle] });
  expect((await run(plain, {})).values).toEqual({ total: 6 });
});

test("STR-18 CODEC-7 a state that cannot be stored is refused by name, and never changed in silence", async () => {
  const states = [
    new Money(5),
    {
      get x() {
        return 1;
      },
    },
    () => 1,
  ];
  for (const state of states) {
    const handle = node("handle", { requires: [rows] }, async (values) => {
      await handleMessages(values.rows, (_message, context) => context.state.set(state));
    });
    const of = graph("g", { nodes: [writing(1), handle] });
    const { cause } = await rejectionOf("PULSE_RUN_FAILED", worker().pulse.run(of, {}, call));
    expect(cause).toMatchObject({ code: "PULSE_CODEC", details: { key: "state" } });
  }
  const live = node("handle", { requires: [rows] }, async (values) => {
    await handleMessages(values.rows, (_message, context) => context.state.set({ inner: values.rows }));
  });
  const { cause } = await rejectionOf(
    "PULSE_RUN_FAILED",
    worker().pulse.run(graph("g", { nodes: [writing(1), live] }), {}, call),
  );
  expect(cause).toMatchObject({ code: "PULSE_USAGE", details: { rule: "STR-14" } });
});

test("STR-2 CODEC-14 a position reads in the process that saved it as it does after a resume", async () => {
  const memory = memoryStore();
  const lines = stream("lines", number, { capacity: 4, position: z.object({ at: z.number() }) });
  const seen: unknown[] = [];
  const write = node("write", { provides: [lines], resumable: true }, async (_, { open }) => {
    const out = await open(lines);
    seen.push(out.position());
    // The cast stands for a caller that knows more than the type; the schema takes it away.
    if (out.position() === undefined) await out.sendAt({ at: 1, more: 2 } as never, 1);
    seen.push(out.position());
    await out.send(2);
  });
  const read = node("read", { requires: [lines] }, async (values) => {
    for await (const { ack } of values.lines) await ack();
  });
  const of = graph("g", { nodes: [write, read] });
  let messages = 0;
  await lifeUntil(memory, of, call, (save) => keysOf(save).includes("message") && ++messages === 2);
  await worker(memory).pulse.resume(of, {}, call);
  expect(seen).toEqual([undefined, { at: 1 }, { at: 1 }, { at: 1 }]);
});

const isFailed = (entry: object): boolean => "state" in entry && entry.state === "failed";
const isFailedTry = (entry: object): boolean => !("nodeId" in entry) && isFailed(entry);

test("STR-24 STR-39 CKPT-21 a budget that a crash found used up fails the node, and a retry of its chain gives no more", async () => {
  const memory = memoryStore();
  let handled = 0;
  const handle = node("handle", { requires: [rows], aspects: [retry({ limit: 5 })] }, async (values) => {
    await handleMessages(values.rows, () => {
      handled += 1;
      throw new Error("never");
    });
  });
  const of = graph("g", { nodes: [writing(1), handle] });
  await lifeUntil(memory, of, call, (save) => keysOf(save).includes("try"));
  const { details } = await rejectionOf("PULSE_RUN_FAILED", worker(memory).pulse.resume(of, {}, call));
  expect(details.path).toBe("handle");
  expect(handled).toBe(1);
  expect((await memory.catalog.read("run")).header.status).toBe("failed");
});

test("STR-28 DUR-8 a value that a handled message wrote is the node's after a crash, and the message is not handled again", async () => {
  const memory = memoryStore();
  const seen: number[] = [];
  const handle = node("handle", { requires: [rows], provides: [total] }, async (values) => ({
    total: await handleMessages(values.rows, ({ value }, { set }) => {
      seen.push(value);
      if (value === 1) set(total, 10);
    }),
  }));
  const of = graph("g", { outputs: [total], nodes: [writing(2), handle] });
  await lifeUntil(memory, of, call, (save) => keysOf(save).includes("managed"));
  const { revision } = (await memory.catalog.read("run")).header;
  const later = worker(memory);
  expect((await later.pulse.resume(of, {}, call)).values).toEqual({ total: 10 });
  expect(seen).toEqual([1, 2]);
  // What comes back is no change: the first save of the resume is the next thing that happens.
  expect(later.store.saves[0]?.revision).toBe(revision + 1);
});

test("STR-52 STR-45 CKPT-22 a value that a void try contributed is not restored: the next try of the mount writes it anew", async () => {
  const memory = memoryStore();
  let fails = true;
  const handle = node("handle", { requires: [rows], provides: [total] }, async (values) => ({
    total: await handleMessages(
      values.rows,
      ({ value }, { set, state }) => {
        if (value === 2 && fails) throw new Error("the first try of the mount fails");
        state.set((state.get() ?? 0) + value);
        if (value === 1) set(total, fails ? 1 : 2);
        if (value === 2) expect(state.get()).toBe(3);
      },
      { state: number },
    ),
  }));
  const inTry = graph("inTry", { outputs: [total], nodes: [writing(2), handle] });
  const of = graph("g", { outputs: [total], nodes: [mount("try", inTry, { aspects: [retry({ limit: 2 })] })] });
  const isTryFailed = (entry: object): boolean => "limit" in entry && entry.limit === 2 && isFailed(entry);
  await lifeUntil(memory, of, call, (save) =>
    save.changes.some((change) => "entry" in change && isTryFailed(change.entry)),
  );
  expect((await memory.catalog.read("run")).managed.size).toBe(1);
  fails = false;
  expect((await worker(memory).pulse.resume(of, {}, call)).values).toEqual({ total: 2 });
});

test("STR-47 STR-18 a failed handler's state is as before, what its closure changed is not", async () => {
  let closure = 0;
  const of = graph("g", {
    outputs: [total],
    nodes: [
      writing(2),
      summing(2, 2, (_value, { attempt }) => {
        closure += 1;
        if (attempt === 1) throw new Error("again");
      }),
    ],
  });
  expect((await worker().pulse.run(of, {}, call)).values).toEqual({ total: 3 });
  expect(closure).toBe(4);
});

test("STR-29 STR-22 the record is as big after 2,000 handled messages as after 100", async () => {
  const sizes: number[] = [];
  for (const count of [100, 2_000]) {
    const memory = memoryStore();
    const failing = (value: number, { attempt }: MessageContext<number>): void => {
      if (value % 9 === 0 && attempt === 1) throw new Error("again");
    };
    const of = graph("g", { outputs: [total], nodes: [writing(count), summing(count, 2, failing)] });
    expect((await worker(memory).pulse.run(of, {}, call)).values).toEqual({ total: (count * (count + 1)) / 2 });
    const record = await memory.catalog.read("run");
    expect([record.messages.size, record.streams.size, record.tries.size]).toEqual([0, 1, 1]);
    sizes.push(sizeOf(entriesOf(record)));
  }
  expect(sizes[1]).toBeLessThan((sizes[0] as number) + 40);
}, 60_000);

test("CKPT-17 DUR-21 STR-22 a save of messages that errs delivers nothing, and its senders get one and the same error", async () => {
  for (const when of ["before", "after"] as const) {
    const memory = memoryStore();
    const { pulse, store } = worker(memory);
    const cause = new PulseError("PULSE_STORE", "the disk is full", {
      details: { runId: "run", next: "mend-store", medium: "disk" },
    });
    store.faults[when] = (save) => {
      if (keysOf(save).includes("message")) throw cause;
    };
    const errors: unknown[] = [];
    const got: number[] = [];
    const write = node("write", { provides: [rows], resumable: true }, async (_, { open }) => {
      const out = await open(rows);
      const first = (out.position() ?? 0) + 1;
      const sends = [0, 1, 2].map((more) => out.sendAt(first + more, first + more));
      for (const { reason } of (await Promise.allSettled(sends)) as PromiseRejectedResult[]) errors.push(reason);
    });
    const read = node("read", { requires: [rows] }, async (values) => {
      for await (const { value, ack } of values.rows) {
        got.push(value);
        await ack();
      }
    });
    const of = graph("g", { nodes: [write, read] });
    const error = await rejectionOf("PULSE_CHECKPOINT", pulse.run(of, {}, call));
    expect(error.cause).toBe(cause);
    expect(error.details).toMatchObject({ runId: "run", next: "mend-store" });
    await turn();
    expect(got).toEqual([]);
    expect(errors).toHaveLength(3);
    expect(new Set(errors.map((each) => (each as Error).cause))).toEqual(new Set([cause]));
    const recorded = (await memory.catalog.read("run")).messages.size;
    expect(recorded).toBe(when === "before" ? 0 : 1);
    await worker(memory).pulse.resume(of, {}, call);
    expect(got).toEqual(when === "before" ? [1, 2, 3] : [1, 2, 3, 4]);
  }
});

test("DUR-9 64 messages in flight share their saves: at least 20 to a save", async () => {
  const { pulse, store } = worker();
  // As with a disk or a database: a save is no matter of microtasks.
  store.faults.before = turn;
  const wide = stream("wide", number, { capacity: 64 });
  const write = node("write", { provides: [wide] }, async (_, { open }) => {
    const out = await open(wide);
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 64 }, (_none, at) => out.send(at)));
  });
  const read = node("read", { requires: [wide] }, async (values) => {
    for await (const { ack } of values.wide) void ack();
  });
  await pulse.run(graph("g", { nodes: [write, read] }), {}, call);
  const sent = store.saves.map((save) =>
    save.changes.filter(({ kind, key }) => kind === "put" && key.startsWith("message")),
  );
  const saves = sent.filter(({ length }) => length > 0);
  expect(saves.reduce((sum, { length }) => sum + length, 0) / saves.length).toBeGreaterThanOrEqual(20);
});
