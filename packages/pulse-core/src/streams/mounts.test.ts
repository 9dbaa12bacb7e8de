import { expect, test } from "vitest";
import { aspect, execution, graph, key, mount, node, retry, run, type } from "../index.ts";
import { eventLog } from "../testing/event-log.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";
import { stream } from "./index.ts";
import type { StreamReader } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 4 });
const again = stream("again", type<number>("number"), { capacity: 1 });
const list = key("list", type<readonly number[]>());
const never = key("never", type<never>());
const listToo = key("listToo", type<readonly number[]>());

const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
  const writer = await open(numbers);
  for (let next = 1; next <= 10; next++) await writer.send(next);
});
async function drain(reader: StreamReader<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const value of reader.values()) seen.push(value);
  return seen;
}
const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => ({
  list: await drain(reader),
}));
const readAgain = node("read", { requires: [again], provides: [list] }, async ({ again: reader }) => ({
  list: await drain(reader),
}));
const readToo = node("too", { requires: [again], provides: [listToo] }, async ({ again: reader }) => ({
  listToo: await drain(reader),
}));
const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

test("STR-12 a stream passes outward and inward through mounts, as one stream with one account", async () => {
  const inner = graph("inner", { outputs: [numbers], nodes: [write] });
  const outer = graph("outer", { outputs: [numbers], nodes: [mount("inner", inner)] });
  const reads = graph("reads", { inputs: [again], outputs: [list], nodes: [readAgain] });
  const log = eventLog();
  const all = graph("all", {
    outputs: [list],
    nodes: [mount("outer", outer), mount("reads", reads, { in: { again: numbers } })],
  });
  const outcome = await run(all, {}, { observers: [log.observer] });
  expect(outcome.values.list).toEqual(ten);
  const kinds = log.events.filter(({ kind }) => kind.startsWith("stream"));
  expect(kinds.map(({ kind, path }) => [kind, path])).toEqual([
    ["stream-opened", "outer/inner/write"],
    ["stream-ended", "outer/inner/write"],
  ]);
});

test("STR-12 a stream passed through a mount is one stream under two names: a group each, one account of deliveries", async () => {
  const passes = graph("passes", { inputs: [again], outputs: [again], nodes: [] });
  const all = graph("all", {
    outputs: [list, listToo],
    nodes: [write, mount("passes", passes, { in: { again: numbers }, out: { again } }), read, readToo],
  });
  const handle = execution(all, {});
  handle.start();
  const { values } = await handle.wait();
  expect([values.list, values.listToo]).toEqual([ten, ten]);
  const { streams } = handle.snapshot();
  expect(streams.length).toBe(1);
  // The capacity is that of the key under which it is written.
  expect(streams[0]).toMatchObject({ key: "numbers", capacity: 4, sent: 10 });
  expect(streams[0]?.groups.map(({ name }) => name)).toEqual(["/read", "/too"]);
});

test("STR-12 STR-5 one node that requires a stream under both its names has it twice in one group", async () => {
  const passes = graph("passes", { inputs: [again], outputs: [again], nodes: [] });
  const both = node(
    "both",
    { requires: [numbers, again], provides: [list] },
    async ({ numbers: one, again: other }) => {
      return { list: (await Promise.all([drain(one), drain(other)])).flat() };
    },
  );
  const all = graph("all", {
    outputs: [list],
    nodes: [write, mount("passes", passes, { in: { again: numbers }, out: { again } }), both],
  });
  expect((await run(all, {})).values.list.toSorted((x, y) => x - y)).toEqual(ten);
});

test("STR-12 STR-4 an alias never ends a stream: its mount may end long before the writer", async () => {
  const passes = graph("passes", { inputs: [again], outputs: [again], nodes: [] });
  const order: string[] = [];
  const slow = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let next = 1; next <= 3; next++) await writer.send(next);
    while (!order.includes("passes")) await new Promise((resolve) => void setImmediate(resolve));
    await writer.send(4);
  });
  const all = graph("all", {
    outputs: [list],
    nodes: [slow, mount("passes", passes, { in: { again: numbers }, out: { again } }), readAgain],
  });
  const outcome = await run(
    all,
    {},
    { observers: [({ kind, path }) => void (kind === "node-finished" && order.push(path))] },
  );
  expect(outcome.values.list).toEqual([1, 2, 3, 4]);
  expect(order[0]).toBe("passes");
});

test("STR-12 a retry of limit 1 around a mount holds back values, not streams", async () => {
  const inner = graph("inner", { outputs: [numbers], nodes: [write] });
  const once = aspect("once", async (_context, next) => next());
  const all = graph("all", {
    outputs: [list],
    nodes: [mount("inner", inner, { aspects: [retry({ limit: 1 }), once] }), read],
  });
  expect((await run(all, {})).values.list).toEqual(ten);
});

test("STR-44 STR-30 a reader in a mount that fails, and whose failure an aspect keeps, leaves: the writer goes on", async () => {
  const swallow = aspect("swallow", async (_context, next) => next().catch(() => {}));
  const fails = graph("fails", {
    inputs: [numbers],
    nodes: [
      node("reads", { requires: [numbers] }, async ({ numbers: reader }) => {
        await reader.receive();
        throw new Error("boom");
      }),
      node("waits", { requires: [numbers, never] }, () => {}),
      node(
        "idle",
        { provides: [never] },
        (_values, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
      ),
    ],
  });
  const all = graph("all", {
    outputs: [list],
    nodes: [write, mount("fails", fails, { aspects: [swallow] }), read],
  });
  expect((await run(all, {})).values.list).toEqual(ten);
});

test("CORE-9 STR-12 a mount that an aspect runs twice cannot write its stream a second time", async () => {
  const twice = aspect("twice", async (_context, next) => {
    await next();
    await next();
  });
  const inner = graph("inner", { outputs: [numbers], nodes: [write] });
  const all = graph("all", {
    outputs: [list],
    nodes: [mount("inner", inner, { aspects: [twice] }), read],
  });
  const failed = await rejectionOf(run(all, {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("CORE-9");
});
