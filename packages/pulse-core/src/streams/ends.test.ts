import { expect, test } from "vitest";
import { aspect, execution, graph, key, mount, node, run, timeout, type } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { expectCode, rejection, rejectionOf } from "../testing/rejection.ts";
import { stream } from "./index.ts";
import type { StreamDelivery, StreamReader } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 8 });
const list = key("list", type<readonly unknown[]>());
const boom = new Error("boom");

/** Keeps the node's failure to itself: the execution goes on. */
const swallow = aspect("swallow", async (_context, next) => next().catch(() => {}));

/** A mount whose child sends 1, 2, 3, waits, and then does what is asked; its failure ends at the mount. */
function writing(end: (context: { readonly signal: AbortSignal }) => unknown, ...aspects: (typeof swallow)[]) {
  const go = deferred();
  const write = node("write", { provides: [numbers] }, async (_values, context) => {
    const writer = await context.open(numbers);
    for (const value of [1, 2, 3]) await writer.send(value);
    await go.promise;
    await end(context);
  });
  const child = graph("child", { outputs: [numbers], nodes: [write] });
  return { go, mounted: mount("child", child, { aspects: [swallow, ...aspects] }) };
}

/** What a reader that does not acknowledge gets, as values and then how it ended. */
async function all(reader: StreamReader<number>): Promise<unknown[]> {
  const got: unknown[] = [];
  try {
    for await (const { value } of reader) got.push(value);
    return [...got, "end"];
  } catch (error) {
    return [...got, error];
  }
}

test("STR-8 STR-4 a completed stream gives what is buffered, then the end, again and again", async () => {
  const { go, mounted } = writing(() => {});
  const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    go.resolve();
    await turn();
    const got = await all(reader);
    return { list: [...got, await reader.receive()] };
  });
  expect((await run(graph("g", { outputs: [list], nodes: [mounted, read] }), {})).values.list).toEqual([
    1,
    2,
    3,
    "end",
    undefined,
  ]);
});

test("STR-8 STR-43 a failed stream gives the failure at once, never a clean end, and refuses acknowledgements", async () => {
  const { go, mounted } = writing(() => {
    throw boom;
  });
  const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    const first = (await reader.receive()) as StreamDelivery<number>;
    go.resolve();
    await turn();
    const got: unknown[] = [first.value, ...(await all(reader)), await rejection(first.ack()), ...(await all(reader))];
    await reader.stop();
    return { list: got };
  });
  const { list: got } = (await run(graph("g", { outputs: [list], nodes: [mounted, read] }), {})).values;
  expect(got.length).toBe(4);
  expect(got[0]).toBe(1);
  for (const error of got.slice(1)) {
    const failed = expectCode(error, "PULSE_STREAM_FAILED");
    expect(failed.cause).toBe(boom);
    expect(failed.details).toEqual({ path: "child/write", key: "numbers" });
  }
});

test("STR-8 a receive that waits gets the failure in the same turn", async () => {
  const { go, mounted } = writing(() => Promise.reject(boom));
  const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    const reading = all(reader);
    await turn();
    go.resolve();
    const got = await reading;
    await reader.stop();
    return { list: got.map((each) => (typeof each === "number" ? each : (each as Error).message)) };
  });
  const { values } = await run(graph("g", { outputs: [list], nodes: [mounted, read] }), {});
  expect(values.list).toEqual([1, 2, 3, `stream "numbers" failed: its writer "child/write" did`]);
});

test("STR-8 STR-43 a canceled stream gives cancellation", async () => {
  const host = fakeHost();
  const { go, mounted: held } = writing(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    timeout(5),
  );
  const read = node("read", { requires: [numbers], provides: [list] }, async ({ numbers: reader }) => {
    const first = await reader.receive();
    const got = await all(reader);
    return {
      list: [first?.value, got.at(-1), await rejection((first as StreamDelivery<number>).ack()), await reader.stop()],
    };
  });
  const handle = execution(graph("g", { outputs: [list], nodes: [held, read] }), {}, { host });
  handle.start();
  go.resolve();
  await host.advance(5);
  const { list: got } = (await handle.wait()).values;
  expect(got[0]).toBe(1);
  for (const error of got.slice(1, 3)) expectCode(error, "PULSE_STREAM_CANCELED");
});

test("STR-4 STR-8 when the writer fails its readers are ended with it, and the writer's failure is the cause", async () => {
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    await (await open(numbers)).send(1);
    await turn();
    throw boom;
  });
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    for await (const { ack } of reader) await ack();
  });
  const failed = await rejectionOf(run(graph("g", { nodes: [write, read] }), {}), "PULSE_EXECUTION_FAILED");
  expect(failed.cause).toBe(boom);
});

test.each(bothWays)(
  "STR-10 a body that returns before the end of its stream fails, and the error says so ($how)",
  async ({ as }) => {
    const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
      await (await open(numbers)).send(1);
    });
    const read = node("read", { requires: [numbers] }, () => as(() => undefined));
    const failed = await rejectionOf(run(graph("g", { nodes: [write, read] }), {}), "PULSE_EXECUTION_FAILED");
    const cause = expectCode(failed.cause, "PULSE_USAGE");
    expect(cause.details).toMatchObject({ rule: "STR-10", path: "read", key: "numbers" });
    expect(cause.message).toContain("stop");
  },
);

test("STR-10 leaving a loop early is no end either, and a stop is", async () => {
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (const value of [1, 2, 3]) await writer.send(value);
  });
  const read = (stops: boolean) =>
    node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
      for await (const value of reader.values()) if (value === 2) break;
      if (stops) await reader.stop();
    });
  const failed = await rejectionOf(run(graph("g", { nodes: [write, read(false)] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("STR-10");
  await run(graph("g", { nodes: [write, read(true)] }), {});
});

test("STR-44 a reader that is skipped, as another key that it requires was, stops its group", async () => {
  const gate = key("gate", type<number>());
  const closed = node("closed", { provides: [gate] }, async (_values, { skip }) => {
    await turn();
    return skip();
  });
  const sent: boolean[] = [];
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let next = 0; next < 20; next++) sent.push(await writer.send(next));
  });
  const read = node("read", { requires: [numbers, gate] }, ({ gate: open }) => void open);
  const handle = execution(graph("g", { nodes: [closed, write, read] }), {});
  handle.start();
  await handle.wait();
  expect(sent.filter(Boolean).length).toBe(8);
  expect(handle.snapshot().streams[0]?.groups[0]?.state).toBe("stopped");
  expect(handle.snapshot().nodes.find(({ path }) => path === "read")?.reason).toBe("skipped");
});

test("STR-44 a reader that an aspect answers for without a read stops its group, and so does a mount", async () => {
  const answer = aspect("answer", () => {});
  const sent: boolean[] = [];
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let next = 0; next < 20; next++) sent.push(await writer.send(next));
  });
  const read = node(
    "read",
    { requires: [numbers], aspects: [answer] },
    async ({ numbers: reader }) => void (await all(reader)),
  );
  const inner = graph("inner", { inputs: [numbers], nodes: [node("read", { requires: [numbers] }, () => {})] });
  await run(graph("g", { nodes: [write, read, mount("inner", inner, { aspects: [answer] })] }), {});
  expect(sent).toEqual(Array.from({ length: 20 }, () => false));
});

test("STR-44 an aspect that looks at the reader without receiving has not read; one that received must end it", async () => {
  const write = node(
    "write",
    { provides: [numbers] },
    async (_values, { open }) => void (await (await open(numbers)).send(1)),
  );
  const looks = aspect("looks", (context) => void context.get(numbers));
  const reads = aspect(
    "reads",
    async (context) => void (await (context.get(numbers) as StreamReader<number>).receive()),
  );
  const read = (answering: typeof looks) => node("read", { requires: [numbers], aspects: [answering] }, () => {});
  await run(graph("g", { nodes: [write, read(looks)] }), {});
  const failed = await rejectionOf(run(graph("g", { nodes: [write, read(reads)] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("STR-10");
});

test("STR-30 a reader whose timeout fires ends its wait, and its node does not wait for the drain time", async () => {
  const host = fakeHost();
  const go = deferred();
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    await open(numbers);
    await go.promise;
  });
  const read = node("read", { requires: [numbers], aspects: [timeout(5)] }, async ({ numbers: reader }) => {
    await reader.receive();
  });
  const handle = execution(graph("g", { nodes: [write, read] }), {}, { host });
  handle.start();
  await host.advance(5);
  go.resolve();
  const failed = expectCode(await rejection(handle.wait()), "PULSE_EXECUTION_FAILED");
  expectCode(failed.cause, "PULSE_TIMEOUT");
  expect(failed.details.abandoned).toEqual([]);
});
