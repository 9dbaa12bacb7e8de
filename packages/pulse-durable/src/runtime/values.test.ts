import { createCodecs, defineCodec } from "@pulse-ts/codec";
import type { Codec } from "@pulse-ts/codec";
import { aspect, graph, key, mount, node, retry, type } from "@pulse-ts/core";
import type { TypeToken } from "@pulse-ts/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { memoryStore } from "../memory-store.ts";
import { rejectionOf } from "../testing/error-of.ts";
import { countingCodec, numberKey } from "../testing/graphs.ts";
import { worker } from "../testing/worker.ts";

const call = { runId: "run", version: "1" };

interface Basket {
  readonly items: string[];
  readonly at: Date;
}
const basket = key("basket", type<Basket>("basket"));
const size = numberKey("size");
const again = numberKey("again");

const fill = (keep: (basket: Basket) => void = () => {}) =>
  node("fill", { provides: [basket] }, () => {
    const made = { items: ["apple"], at: new Date(0) };
    keep(made);
    return { basket: made };
  });
const spoil = node("spoil", { requires: [basket], provides: [size] }, ({ basket }) => {
  basket.items.push("worm");
  return { size: basket.items.length };
});
const count = node("count", { requires: [basket, size], provides: [again] }, ({ basket }) => ({
  again: basket.items.length,
}));

test("CODEC-9 CODEC-13 no reader sees another's changes, nor the writer's", async () => {
  let kept: Basket | undefined;
  const shared = graph("shared", {
    outputs: [basket, size, again],
    nodes: [fill((made) => void (kept = made)), spoil, count],
  });
  const { values } = await worker().pulse.run(shared, {}, call);
  expect(values).toEqual({ basket: { items: ["apple"], at: new Date(0) }, size: 2, again: 1 });
  expect(values.basket).not.toBe(kept);
});

test("CODEC-9 with isolate: false readers get the written object itself, and after a resume one that they share", async () => {
  let kept: Basket | undefined;
  const shared = graph("shared", {
    outputs: [basket, size, again],
    nodes: [fill((made) => void (kept = made)), spoil, count],
  });
  const memory = memoryStore();
  const { values } = await worker(memory).pulse.run(shared, {}, { ...call, isolate: false });
  expect(values.basket).toBe(kept);
  expect([values.size, values.again]).toEqual([2, 2]);
  // What was confirmed is what was written, whatever readers did to it (CKPT-28).
  const resumed = await worker(memory).pulse.resume(shared, {}, { ...call, isolate: false });
  expect(resumed.values.basket).toEqual({ items: ["apple"], at: new Date(0) });
});

test("V7 CODEC-9 a live value has the same type as after a resume", async () => {
  const seen: unknown[] = [];
  const dates = graph("dates", {
    outputs: [basket],
    nodes: [fill(), node("look", { requires: [basket] }, ({ basket }) => void seen.push(basket.at))],
  });
  const memory = memoryStore();
  const dying = worker(memory);
  const dead = dying.diesAt(3, "before");
  void dying.pulse.run(dates, {}, call).catch(() => {});
  await dead;
  await worker(memory).pulse.resume(dates, {}, call);
  expect(seen).toEqual([new Date(0), new Date(0)]);
});

test("CODEC-13 root inputs are decoded for each reader too", async () => {
  const given = { items: ["pear"], at: new Date(1) };
  const reading = graph("reading", { inputs: [basket], outputs: [basket, size], nodes: [spoil] });
  const { values } = await worker().pulse.run(reading, { basket: given }, call);
  expect(values).toEqual({ basket: { items: ["pear"], at: new Date(1) }, size: 2 });
  expect(given.items).toEqual(["pear"]);
});

test("CODEC-13 root inputs and fixed values are encoded once, their fingerprints included", async () => {
  const counted = type<readonly number[]>("counted");
  const { codecs, counts } = countingCodec(counted);
  const list = key("list", counted);
  const fixed = key("fixed", counted);
  const child = graph("child", {
    inputs: [list, fixed],
    outputs: [size],
    nodes: [
      node("sum", { requires: [list, fixed], provides: [size] }, ({ list, fixed }) => ({
        size: list.length + fixed.length,
      })),
    ],
  });
  const outer = graph("outer", {
    inputs: [list],
    outputs: [size],
    nodes: [mount("child", child, { fix: { fixed: [1, 2] } })],
  });
  const { values } = await worker(memoryStore(), { codecs }).pulse.run(outer, { list: [1] }, call);
  expect(values.size).toBe(3);
  expect(counts).toEqual({ encoded: 2, decoded: 2 });
});

test("CODEC-13 CKPT-36 a value is encoded once, and decoded once for each try of each reading node", async () => {
  const counted = type<readonly number[]>("counted");
  const { codecs, counts } = countingCodec(counted);
  const list = key("list", counted);
  const reads = graph("reads", {
    outputs: [size, again],
    nodes: [
      node("make", { provides: [list] }, () => ({ list: [1, 2, 3] })),
      node("once", { requires: [list], provides: [size] }, (values) => ({
        size: values.list.length + values.list.length,
      })),
      node(
        "thrice",
        { requires: [list], provides: [again], aspects: [retry({ limit: 3 })] },
        ({ list }, { attempt }) => {
          if (attempt < 3) throw new Error("again");
          return { again: list.length };
        },
      ),
    ],
  });
  const { values } = await worker(memoryStore(), { codecs }).pulse.run(reads, {}, call);
  expect(values).toEqual({ size: 6, again: 3 });
  expect(counts).toEqual({ encoded: 1, decoded: 4 });
});

test("CODEC-13 immutable values are decoded once", async () => {
  const text = type<string>("text");
  let decoded = 0;
  const codecs = createCodecs();
  codecs.register(
    defineCodec<TypeToken<string>, string>({
      type: text,
      id: "text",
      version: "1",
      immutable: true,
      encode: (value) => new TextEncoder().encode(value),
      decode(bytes) {
        decoded += 1;
        return new TextDecoder().decode(bytes);
      },
    }),
  );
  const word = key("word", text);
  const nodes = [1, 2, 3].map((at) => node(`read${at}`, { requires: [word] }, ({ word }) => void word.length));
  const reads = graph("reads", {
    outputs: [word],
    nodes: [node("make", { provides: [word] }, () => ({ word: "hi" })), ...nodes],
  });
  await worker(memoryStore(), { codecs }).pulse.run(reads, {}, call);
  expect(decoded).toBe(1);
});

test("CODEC-17 inside one chain the written object itself is seen", async () => {
  let written: unknown;
  let seen: unknown;
  const looks = aspect("looks", async (context, next) => {
    await next();
    seen = context.get(basket);
  });
  const nodes = [
    node("fill", { provides: [basket], aspects: [looks] }, () => {
      written = { items: [], at: new Date(0) };
      return { basket: written as Basket };
    }),
  ];
  await worker().pulse.run(graph("one", { outputs: [basket], nodes }), {}, call);
  expect(seen).toBe(written);
});

test("CODEC-18 through in and out the bytes travel unchanged: nothing is encoded or decoded at a mount's border", async () => {
  const counted = type<readonly number[]>("counted");
  const { codecs, counts } = countingCodec(counted);
  const outer = key("outer", counted);
  const inner = key("inner", counted);
  const made = key("made", counted);
  const back = key("back", counted);
  const child = graph("child", {
    inputs: [inner],
    outputs: [made],
    nodes: [node("copy", { requires: [inner], provides: [made] }, ({ inner }) => ({ made: inner }))],
  });
  const parent = graph("parent", {
    outputs: [back],
    nodes: [
      node("make", { provides: [outer] }, () => ({ outer: [1] })),
      mount("child", child, { in: { inner: outer }, out: { made: back } }),
    ],
  });
  const { pulse, store } = worker(memoryStore(), { codecs });
  const { values } = await pulse.run(parent, {}, call);
  expect(values).toEqual({ back: [1] });
  // Written twice, by make and by copy; read twice, by copy and by the outcome.
  expect(counts).toEqual({ encoded: 2, decoded: 2 });
  const tree = await pulse.inspect("run");
  expect(tree.root.nodes.map(({ outputs }) => outputs.map(({ name }) => name))).toEqual([["back"], ["outer"]]);
  expect(store.saves).toHaveLength(5);
});

test("CODEC-18 CODEC-14 where the two keys have different codecs the mount encodes anew", async () => {
  const wide = key("wide", z.object({ title: z.string(), text: z.string() }));
  const narrow = key("narrow", z.object({ title: z.string() }));
  const child = graph("child", {
    inputs: [narrow],
    outputs: [size],
    nodes: [
      node("look", { requires: [narrow], provides: [size] }, ({ narrow }) => ({ size: Object.keys(narrow).length })),
    ],
  });
  const parent = graph("parent", {
    outputs: [size],
    nodes: [
      node("make", { provides: [wide] }, () => ({ wide: { title: "t", text: "x" } })),
      mount("child", child, { in: { narrow: wide } }),
    ],
  });
  expect((await worker().pulse.run(parent, {}, call)).values.size).toBe(1);
});

test("CKPT-28 CODEC-9 a value that is changed in the microtask after the body is recorded as it was", async () => {
  const memory = memoryStore();
  const nodes = [
    node("fill", { provides: [basket] }, () => {
      const made: Basket = { items: ["apple"], at: new Date(0) };
      queueMicrotask(() => queueMicrotask(() => made.items.push("late")));
      setImmediate(() => made.items.push("later"));
      return { basket: made };
    }),
  ];
  const one = graph("one", { outputs: [basket], nodes });
  const { pulse, store } = worker(memory);
  const changed = new Promise<void>((resolve) => {
    // The change is long made when the save goes on.
    store.faults.before = ({ revision }) =>
      revision === 2 ? new Promise((go) => setImmediate(() => setImmediate(go))) : resolve();
  });
  const { values } = await pulse.run(one, {}, call);
  await changed;
  const recorded = (await worker(memory).pulse.resume(one, {}, call)).values.basket;
  expect(values.basket).toEqual(recorded);
  expect(recorded.items).not.toContain("later");
});

test("CKPT-28 CODEC-9 a codec that hands out its own buffer or the confirmed bytes lets nobody change what is confirmed", async () => {
  const scratch = new Uint8Array(1);
  const raw = type<Uint8Array>("raw");
  const raws = [0, 1, 2].map((at) => key(`raw${at}`, raw));
  const codecs = createCodecs();
  codecs.register(
    defineCodec({
      type: raw,
      id: "raw",
      version: "1",
      encode: (value) => {
        scratch.set(value);
        return scratch;
      },
      decode: (bytes) => bytes,
    }) as Codec,
  );
  const [first, second, third] = raws as [(typeof raws)[0] & {}, (typeof raws)[0] & {}, (typeof raws)[0] & {}];
  const nodes = [
    ...raws.map((out, at) => node(`make${at}`, { provides: [out] }, () => ({ [out.name]: Uint8Array.of(at) }))),
    node("spoil", { requires: [first, second], provides: [size] }, (read) => {
      for (const bytes of Object.values(read)) bytes.fill(99);
      return { size: 1 };
    }),
    node("look", { requires: [size, first, second, third], provides: [again] }, ({ size: _, ...read }) => ({
      again: Object.values(read).reduce((sum, bytes) => sum * 10 + (bytes[0] ?? 0), 0),
    })),
  ];
  const memory = memoryStore();
  const one = graph("raws", { outputs: [again, ...raws], nodes });
  const { values } = await worker(memory, { codecs }).pulse.run(one, {}, call);
  expect(values.again).toBe(12);
  const resumed = await worker(memory, { codecs }).pulse.resume(one, {}, { ...call, verify: "all" });
  expect(raws.map(({ name }) => resumed.values[name])).toEqual([0, 1, 2].map((at) => Uint8Array.of(at)));
});

test("D13 V1 CODEC-7 a value that cannot be encoded fails its own node as a business failure, by key and path", async () => {
  const anything = key("anything", type<unknown>("anything"));
  const bad = (value: unknown) =>
    graph("bad", { outputs: [anything], nodes: [node("make", { provides: [anything] }, () => ({ anything: value }))] });
  const { pulse } = worker();
  const good = Promise.all(
    Array.from({ length: 16 }, (_, at) => pulse.run(bad({ n: BigInt(at) }), {}, { runId: `good ${at}`, version: "1" })),
  );
  const throwing = {
    get trap(): never {
      throw new Error("no");
    },
  };
  for (const [at, value] of [{ deep: [{ f: () => 1 }] }, throwing].entries()) {
    const error = await rejectionOf(
      "PULSE_RUN_FAILED",
      pulse.run(bad(value), {}, { runId: `bad ${at}`, version: "1" }),
    );
    expect(error.cause).toMatchObject({ code: "PULSE_CODEC", details: { key: "anything" } });
    expect(error.details.path).toBe("make");
  }
  expect((await good).map(({ values }) => (values.anything as { n: bigint }).n)).toEqual(
    Array.from({ length: 16 }, (_, at) => BigInt(at)),
  );
});

test("CODEC-12 V8 a value over the limit fails its node with the figure", async () => {
  const big = key("big", type<Uint8Array>("big"));
  const one = graph("one", {
    outputs: [big],
    nodes: [node("make", { provides: [big] }, () => ({ big: new Uint8Array(65 * 1024 * 1024) }))],
  });
  const error = await rejectionOf("PULSE_RUN_FAILED", worker().pulse.run(one, {}, call));
  expect(error.cause).toMatchObject({ code: "PULSE_CODEC", details: { key: "big" } });
  expect((error.cause as Error).message).toMatch(/\d{8}/);
});

test("CODEC-18 a value that the other side's codec refuses fails the mount: on the way in, from the host, and on the way out", async () => {
  const any = key("any", z.number());
  const least = key("least", z.number().min(10));
  const back = key("back", z.number());
  const make = node("make", { provides: [any] }, () => ({ any: 1 }));
  const inner = graph("inner", {
    inputs: [least],
    outputs: [back],
    nodes: [node("look", { requires: [least], provides: [back] }, ({ least }) => ({ back: least }))],
  });
  const outer = graph("outer", { outputs: [any], nodes: [make] });
  const mounted = mount("strict", inner, { in: { least: any } });
  const { pulse } = worker();
  const running = [
    pulse.run(graph("into", { outputs: [back], nodes: [make, mounted] }), {}, { runId: "into", version: "1" }),
    pulse.run(
      graph("host", { inputs: [any], outputs: [back], nodes: [mounted] }),
      { any: 1 },
      { runId: "host", version: "1" },
    ),
    pulse.run(
      graph("out", { outputs: [least], nodes: [mount("strict", outer, { out: { any: least } })] }),
      {},
      { runId: "out", version: "1" },
    ),
  ];
  for (const run of running) {
    const error = await rejectionOf("PULSE_RUN_FAILED", run);
    expect(error.cause).toMatchObject({ code: "PULSE_CODEC", details: { key: "least" } });
    expect(error.details.path).toBe("strict");
  }
  expect((await pulse.inspect("into")).root.nodes).toMatchObject([
    { nodeId: "make", state: "completed" },
    { nodeId: "strict", state: "failed" },
  ]);
});
