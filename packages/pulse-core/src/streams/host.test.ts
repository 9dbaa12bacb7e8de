import { expect, test } from "vitest";
import { execution, graph, key, mount, node, problemsOf, run, skipped, type, validate } from "../index.ts";
import { aborted, turn } from "../testing/deferred.ts";
import { expectCode, rejection, rejectionOf, thrownBy } from "../testing/rejection.ts";
import { onlyProblem } from "../testing/refused.ts";
import { optional } from "../key.ts";
import { reading, stream } from "./index.ts";
import type { StreamReader } from "./index.ts";

const numbers = stream("numbers", type<number>("number"), { capacity: 4 });
const count = key("count", type<number>());

const write = node("write", { provides: [numbers, count] }, async (_values, { open }) => {
  const writer = await open(numbers);
  for (let next = 1; next <= 10; next++) await writer.send(next);
  return { count: 10 };
});
const feed = graph("feed", { outputs: [numbers, count], nodes: [write] });

async function drain(reader: StreamReader<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const { value, ack } of reader) {
    seen.push(value);
    await ack();
  }
  return seen;
}

test("STR-11 the host reads and acknowledges a root output like a node; the outcome holds the plain ones", async () => {
  const handle = execution(feed, {});
  const reading = drain(handle.subscribe(numbers));
  handle.start();
  const outcome = await handle.wait();
  expect(await reading).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(outcome.values).toEqual({ count: 10 });
  expect(Object.keys(outcome.outputs)).toEqual(["count"]);
  expect(handle.snapshot().streams[0]?.groups).toEqual([
    { name: "host", readers: [""], state: "ended", delivered: 10, frontier: 10, pending: 0, waiting: [] },
  ]);
});

test("STR-11 a stream without a reader is a validation error; as an output it is one at the start alone", async () => {
  const problem = onlyProblem({ nodes: [write], outputs: [count] });
  expect(problem.code).toBe("PULSE_STREAM_UNREAD");
  expect(problem.ends).toEqual(["write", "numbers"]);
  validate(feed);
  const handle = execution(feed, {});
  const error = expectCode(
    thrownBy(() => handle.start()),
    "PULSE_INVALID",
  );
  expect(error.details.problems.map(({ code }) => code)).toEqual(["PULSE_STREAM_UNREAD"]);
  expect(handle.snapshot().state).toBe("built");
  const reading = drain(handle.subscribe(numbers));
  handle.start();
  await handle.wait();
  expect((await reading).length).toBe(10);
  await rejectionOf(run(feed, {}), "PULSE_INVALID");
});

test("STR-11 a stream that a mount does not pass on, and a child that never uses its input, are found", () => {
  const child = graph("child", { outputs: [numbers, count], nodes: [write] });
  expect(onlyProblem({ nodes: [mount("child", child, { out: { count } })], outputs: [count] }).code).toBe(
    "PULSE_STREAM_UNREAD",
  );
  const idle = graph("idle", { inputs: [numbers], nodes: [] });
  expect(onlyProblem({ nodes: [write, mount("idle", idle)], outputs: [count] }).code).toBe("PULSE_STREAM_UNREAD");
});

test("STR-11 CKPT-39 a graph whose stream is an output is valid before its host has subscribed", () => {
  const again = graph("again", { outputs: [numbers, count], nodes: [write] });
  validate(again);
  expect(problemsOf(again)).toEqual([]);
});

test("STR-11 an output with a reading node needs no host", async () => {
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => void (await drain(reader)));
  const both = graph("both", { outputs: [numbers, count], nodes: [write, read] });
  expect((await run(both, {})).values.count).toBe(10);
});

test("STR-11 a host that reads slowly holds the writer back; the rest is read and acknowledged after the end", async () => {
  const handle = execution(feed, {});
  const reader = handle.subscribe(numbers);
  handle.start();
  await turn();
  expect(handle.snapshot().streams[0]).toMatchObject({ sent: 4, heldBackBy: ["host"] });
  for (let left = 6; left > 0; left--) await (await reader.receive())?.ack();
  await handle.wait();
  expect(await drain(reader)).toEqual([7, 8, 9, 10]);
  expect(handle.snapshot().streams[0]?.groups[0]?.frontier).toBe(10);
});

test("STR-11 STR-9 a host that stops lets the run complete", async () => {
  const handle = execution(feed, {});
  const reader = handle.subscribe(numbers, { group: "viewer" });
  handle.start();
  await (await reader.receive())?.ack();
  await reader.stop();
  expect((await handle.wait()).values.count).toBe(10);
  expect(handle.snapshot().streams[0]?.groups[0]).toMatchObject({ name: "viewer", state: "stopped" });
});

test("STR-11 STR-5 a host joins the group that a node names, by the real subscriptions", async () => {
  const seen: number[] = [];
  const read = node("read", { requires: [reading(numbers, { group: "shared" })] }, async ({ numbers: reader }) => {
    for await (const { value, ack } of reader) {
      seen.push(value);
      await turn();
      await ack();
    }
  });
  const handle = execution(graph("both", { outputs: [numbers, count], nodes: [write, read] }), {});
  const host = drain(handle.subscribe(numbers, { group: "shared" }));
  handle.start();
  await handle.wait();
  expect([...seen, ...(await host)].toSorted((x, y) => x - y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(seen.length).toBeGreaterThan(0);
});

test("STR-11 subscribing is for stream outputs, before the start, by a name that is no path", async () => {
  const other = stream("other", type<number>(), { capacity: 1 });
  const handle = execution(feed, {});
  const refusals = [
    () => handle.subscribe(other),
    () => handle.subscribe(count as never),
    () => handle.subscribe(undefined as never),
    () => handle.subscribe(numbers, { group: "a/b" }),
    () => execution(graph("plain", { nodes: [] }), {}).subscribe(numbers),
  ];
  for (const refused of refusals) expectCode(thrownBy(refused), "PULSE_USAGE");
  const reader = handle.subscribe(numbers);
  handle.start();
  expectCode(
    thrownBy(() => handle.subscribe(numbers)),
    "PULSE_USAGE",
  );
  await reader.stop();
  await handle.wait();
});

test("STR-8 STR-38 the host is told how a stream ended that failed, was cancelled, was never opened, or whose writer never ran", async () => {
  const gate = key("gate", type<number>());
  const ending = (body: (signal: AbortSignal) => unknown) => {
    const writes = node("write", { requires: [gate], provides: [numbers] }, async (_values, { open, signal }) => {
      await open(numbers);
      await body(signal);
    });
    const gates = node("gate", { provides: [gate] }, () => ({ gate: 1 }));
    return execution(graph("g", { outputs: [numbers], nodes: [gates, writes] }), {});
  };
  const boom = new Error("boom");
  const failing = ending(() => Promise.reject(boom));
  const failed = rejection(drain(failing.subscribe(numbers)));
  failing.start();
  await rejection(failing.wait());
  expect(expectCode(await failed, "PULSE_STREAM_FAILED").cause).toBe(boom);

  const hanging = ending(aborted);
  const canceled = rejection(drain(hanging.subscribe(numbers)));
  hanging.start();
  hanging.cancel("enough");
  await rejection(hanging.wait());
  expectCode(await canceled, "PULSE_STREAM_CANCELED");

  const unopened = execution(
    graph("g", { outputs: [numbers], nodes: [node("idle", { provides: [numbers] }, () => {})] }),
    {},
  );
  const nothing = drain(unopened.subscribe(numbers));
  unopened.start();
  await unopened.wait();
  expect(await nothing).toEqual([]);

  const neverRan = ending(() => {});
  const unread = rejection(drain(neverRan.subscribe(numbers)));
  neverRan.cancel("before");
  neverRan.start();
  await rejection(neverRan.wait());
  expectCode(await unread, "PULSE_STREAM_CANCELED");
});

test("STR-6 a host's receive is cancelled by its signal alone", async () => {
  const handle = execution(feed, {});
  const reader = handle.subscribe(numbers);
  const controller = new AbortController();
  const waiting = rejection(reader.receive({ signal: controller.signal }));
  controller.abort("mine");
  expect(await waiting).toBe("mine");
  expect(await rejection(reader.receive({ signal: controller.signal }))).toBe("mine");
  handle.start();
  expect((await drain(reader)).length).toBe(10);
  await handle.wait();
});

test("STR-1 no host gives a stream: as an input of the root it is refused, unless it is left out", async () => {
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => void (await drain(reader)));
  const needs = graph("needs", { inputs: [numbers], nodes: [read] });
  for (const inputs of [{}, { numbers: 5 }, { numbers: [] }]) {
    const error = expectCode(
      thrownBy(() => execution(needs, inputs as never)),
      "PULSE_INVALID",
    );
    expect(error.details.problems[0]?.ends).toEqual(["numbers"]);
  }
  const may = graph("may", { inputs: [optional(numbers)], nodes: [read] });
  await run(may, {});
  await run(may, { numbers: skipped });
  expectCode(
    thrownBy(() => execution(may, { numbers: 5 as never })),
    "PULSE_INVALID",
  );
});

test("STR-1 a stream is not overridden by a value; its node is", async () => {
  const overrides = { keys: { numbers: [1, 2] } };
  const error = expectCode(
    thrownBy(() => execution(feed, {}, { overrides })),
    "PULSE_INVALID",
  );
  expect(error.message).toContain(`override node "write" instead`);
  const handle = execution(
    feed,
    {},
    {
      overrides: {
        nodes: {
          write: async (_values, { open }) => {
            await (await open(numbers)).send(42);
            return { count: 1 };
          },
        },
      },
    },
  );
  const seen = drain(handle.subscribe(numbers));
  handle.start();
  await handle.wait();
  expect(await seen).toEqual([42]);
});
