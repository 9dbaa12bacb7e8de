import { expect, test } from "vitest";
import { aspect, execution, graph, key, mount, node, run, type } from "../index.ts";
import { deferred, turn } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { expectCode, rejection, rejectionOf, thrownBy } from "../testing/rejection.ts";
import { handleMessages, maxStagedDefault } from "./index.ts";
import type { MessageContext } from "./index.ts";
import { doubled, handling, keep, list, numbers, total, writer } from "../testing/message-graph.ts";
import type { Handler } from "../testing/message-graph.ts";

const boom = new Error("boom");

const add: Handler = ({ value, sequence }, { state, set, send }) => {
  state.set((state.get() ?? 0) + value);
  send(doubled, value * 2);
  if (sequence === 5) set(total, state.get() as number);
};

test("STR-15 STR-18 STR-19 acknowledgement, state, plain values and sent messages become true together", async () => {
  const handle = execution(graph("g", { outputs: [total, list], nodes: [writer(5), handling(add), keep] }), {});
  handle.start();
  const { values } = await handle.wait();
  expect(values).toEqual({ total: 15, list: [2, 4, 6, 8, 10] });
  expect(handle.snapshot().streams[0]?.groups[0]).toMatchObject({ frontier: 5, state: "ended" });
});

test("STR-18 at the end the state is there for the body to make a result of, a copy of its own; a body may return what it got", async () => {
  const seen = key("seen", type<readonly number[]>());
  const collect = node("collect", { requires: [numbers], provides: [seen] }, async ({ numbers: reader }) => {
    const handled = await handleMessages(reader, ({ value }, { state }) => state.set([...(state.get() ?? []), value]), {
      state: type<readonly number[]>(),
    });
    expect(handled.state).toEqual([1, 2, 3]);
    return { seen: handled.state ?? [] };
  });
  const nothing = node("nothing", { requires: [numbers] }, async ({ numbers: reader }) => {
    const handled = await handleMessages(reader, (_message, { stop }) => stop());
    expect(handled.state).toBeUndefined();
    return handled;
  });
  const of = graph("g", { outputs: [seen], nodes: [writer(3), collect, nothing] });
  expect((await run(of, {})).values.seen).toEqual([1, 2, 3]);
});

test("STR-15 nothing of a handler is true before it has returned", async () => {
  const go = deferred();
  const seen: unknown[] = [];
  const handler: Handler = async (message, context) => {
    await add(message, context);
    if (message.sequence === 1) await go.promise;
  };
  const handle = execution(graph("g", { outputs: [total, list], nodes: [writer(5), handling(handler), keep] }), {});
  handle.start();
  await turn();
  const [first, second] = handle.snapshot().streams;
  seen.push(first?.groups[0]?.frontier, second?.sent);
  go.resolve();
  await handle.wait();
  expect(seen).toEqual([0, undefined]);
});

test("STR-16 STR-18 a handler that fails publishes nothing and is tried up to limit times; its state is rolled back", async () => {
  const tries: [number, number, number | undefined][] = [];
  const handler: Handler = (message, context) => {
    tries.push([message.sequence, context.attempt, context.state.get()]);
    context.state.set(-1);
    context.send(doubled, -1);
    if (message.sequence === 2 && context.attempt < 3) throw new Error("again");
    context.state.set(message.sequence * 100);
  };
  const log = eventLog();
  const handle = execution(
    graph("g", { outputs: [list], nodes: [writer(3), handling(handler, { limit: 3 }), keep] }),
    {},
    {
      observers: [log.observer],
    },
  );
  handle.start();
  expect((await handle.wait()).values.list).toEqual([-1, -1, -1]);
  expect(tries).toEqual([
    [1, 1, undefined],
    [2, 1, 100],
    [2, 2, 100],
    [2, 3, 100],
    [3, 1, 200],
  ]);
  expect(log.events.filter(({ kind }) => kind === "attempt-failed").map(({ path }) => path)).toEqual(["sum", "sum"]);
});

test("STR-17 more than maxStaged messages and plain values together is an error of that try; state does not count", async () => {
  const handler: Handler = (_message, { state, send, set, attempt }) => {
    state.set(1);
    state.set(2);
    if (attempt === 1) {
      set(total, 1);
      send(doubled, 1);
      expectCode(
        thrownBy(() => send(doubled, 2)),
        "PULSE_USAGE",
      );
    }
  };
  const nodes = [writer(1), handling(handler, { maxStaged: 2, limit: 2 }), keep];
  const outcome = await run(graph("g", { outputs: [total, list], nodes }), {});
  // The handler kept the error to itself, and still its first try has failed.
  expect(outcome.outputs.total).toEqual({ state: "skipped" });
  expect(outcome.outputs.list).toEqual({ state: "skipped" });
  expect(maxStagedDefault).toBe(64);
});

test("STR-17 more messages for one stream than its capacity is an error of that try", async () => {
  const handler: Handler = (_message, { send }) => {
    for (const value of [1, 2, 3]) send(doubled, value);
  };
  const failed = await rejectionOf(
    run(graph("g", { outputs: [list], nodes: [writer(1), handling(handler), keep] }), {}),
    "PULSE_EXECUTION_FAILED",
  );
  const cause = expectCode(failed.cause, "PULSE_USAGE");
  expect(cause.details).toMatchObject({ rule: "STR-17", key: "doubled" });
});

test("STR-17 STR-30 a commit whose messages do not fit yet waits for room, and then all of it is true at once", async () => {
  const go = deferred();
  const handler: Handler = ({ value }, { send }) => {
    send(doubled, value);
    send(doubled, value * 10);
  };
  const slow = node("slow", { requires: [doubled], provides: [list] }, async ({ doubled: reader }) => {
    await go.promise;
    const seen: number[] = [];
    for await (const value of reader.values()) seen.push(value);
    return { list: seen };
  });
  const handle = execution(graph("g", { outputs: [list], nodes: [writer(3), handling(handler), slow] }), {});
  handle.start();
  await turn();
  const [input, output] = handle.snapshot().streams;
  expect(input?.groups[0]?.frontier).toBe(1);
  expect(output).toMatchObject({ sent: 2, senders: 1, heldBackBy: ["/slow"] });
  go.resolve();
  expect((await handle.wait()).values.list).toEqual([1, 10, 2, 20, 3, 30]);
});

test("STR-18 get gives a fresh copy, set takes one, and the state is there inside a handler alone", async () => {
  let outside: MessageContext<{ n: number[] }> | undefined;
  const seen: unknown[] = [];
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    await handleMessages(
      reader,
      (_message, context) => {
        outside = context;
        const now = context.state.get() ?? { n: [] };
        seen.push(structuredClone(now));
        now.n.push(99);
        expect(context.state.get() ?? { n: [] }).not.toEqual(now);
        const next = { n: [seen.length] };
        context.state.set(next);
        next.n.push(100);
      },
      { state: type<{ n: number[] }>() },
    );
    expectCode(
      thrownBy(() => outside?.state.get()),
      "PULSE_USAGE",
    );
  });
  await run(graph("g", { nodes: [writer(3), read] }), {});
  expect(seen).toEqual([{ n: [] }, { n: [1] }, { n: [2] }]);
  const error = expectCode(
    thrownBy(() => outside?.state.set({ n: [] })),
    "PULSE_USAGE",
  );
  expect(error.details.rule).toBe("STR-18");
});

test("STR-19 what a handler writes is visible when the node has ended, and is written once", async () => {
  const go = deferred();
  const order: string[] = [];
  const read = node("sum", { requires: [numbers], provides: [total] }, async ({ numbers: reader }) => {
    const handled = await handleMessages(reader, ({ sequence }, { set }) => {
      if (sequence === 1) set(total, 5);
      if (sequence === 2) set(total, 6);
    });
    return { total: handled };
  });
  const failed = await rejectionOf(
    run(graph("g", { outputs: [total], nodes: [writer(2), read] }), {}),
    "PULSE_EXECUTION_FAILED",
  );
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("CORE-9");
  const body = node("sum", { requires: [numbers], provides: [total] }, async ({ numbers: reader }) => {
    const handled = await handleMessages(reader, (_message, { set }) => set(total, 5));
    order.push("handled");
    await go.promise;
    order.push("returns");
    return { total: handled };
  });
  const after = node("after", { requires: [total] }, ({ total: value }) => void order.push(`after ${value}`));
  const handle = execution(graph("g", { nodes: [writer(1), body, after] }), {});
  handle.start();
  await turn();
  go.resolve();
  await handle.wait();
  expect(order).toEqual(["handled", "returns", "after 5"]);
  const both = node("sum", { requires: [numbers], provides: [total] }, async ({ numbers: reader }) => {
    await handleMessages(reader, (_message, { set }) => set(total, 5));
    return { total: 6 };
  });
  const twice = await rejectionOf(
    run(graph("g", { outputs: [total], nodes: [writer(1), both] }), {}),
    "PULSE_EXECUTION_FAILED",
  );
  expect(expectCode(twice.cause, "PULSE_USAGE").details.rule).toBe("CORE-9");
  const skips = node("sum", { requires: [numbers], provides: [total] }, async ({ numbers: reader }, { skip }) => {
    await handleMessages(reader, (_message, { set }) => set(total, 5));
    return skip();
  });
  const late = await rejectionOf(
    run(graph("g", { outputs: [total], nodes: [writer(1), skips] }), {}),
    "PULSE_EXECUTION_FAILED",
  );
  expect(expectCode(late.cause, "PULSE_USAGE").details.rule).toBe("CORE-42");
});

test("STR-31 a handler that writes nothing still commits its acknowledgement", async () => {
  const read = node("read", { requires: [numbers] }, ({ numbers: reader }) => handleMessages(reader, () => {}));
  const handle = execution(graph("g", { nodes: [writer(9), read] }), {});
  handle.start();
  await handle.wait();
  expect(handle.snapshot().streams[0]?.groups[0]?.frontier).toBe(9);
});

test("STR-20 a handler may stop the stream, in the same transaction", async () => {
  const handler: Handler = ({ sequence }, { stop, set, attempt }) => {
    if (sequence !== 2) return;
    stop();
    if (attempt === 1) throw new Error("again");
    set(total, sequence);
  };
  const handle = execution(
    graph("g", { outputs: [total], nodes: [writer(9), handling(handler, { limit: 2 }), keep] }),
    {},
  );
  handle.start();
  expect((await handle.wait()).values.total).toBe(2);
  expect(handle.snapshot().streams[0]?.groups[0]).toMatchObject({ state: "stopped", frontier: 2, delivered: 2 });
});

test("STR-43 a commit that meets a failed source is refused, and stages nothing", async () => {
  const go = deferred();
  const swallow = aspect("swallow", async (_context, next) => next().catch(() => {}));
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    await (await open(numbers)).send(1);
    await go.promise;
    throw boom;
  });
  const child = graph("child", { outputs: [numbers], nodes: [write] });
  let seen: unknown;
  const read = node("read", { requires: [numbers], provides: [total] }, async ({ numbers: reader }) => {
    const handled = handleMessages(reader, async (_message, { set }) => {
      set(total, 1);
      go.resolve();
      await turn();
    });
    seen = await rejection(handled);
    await reader.stop();
    return { total: 2 };
  });
  const outcome = await run(
    graph("g", { outputs: [total], nodes: [mount("child", child, { aspects: [swallow] }), read] }),
    {},
  );
  expectCode(seen, "PULSE_STREAM_FAILED");
  expect(outcome.values.total).toBe(2);
});

test("STR-15 an interrupted try of a message uses no budget, and its handler is not run again", async () => {
  const host = fakeHost();
  let tries = 0;
  const handler: Handler = async (_message, { signal }) => {
    tries++;
    await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  };
  const log = eventLog();
  const nodes = [writer(1), handling(handler, { limit: 9 }), keep];
  const handle = execution(graph("g", { outputs: [list], nodes }), {}, { host, observers: [log.observer] });
  handle.start();
  await host.advance(1);
  handle.cancel("enough");
  expectCode(await rejection(handle.wait()), "PULSE_INTERRUPTED");
  expect(tries).toBe(1);
  expect(log.events.filter(({ kind }) => kind === "attempt-failed")).toEqual([]);
});

test("STR-15 options that are none, a foreign reader and keys of others are refused", async () => {
  const read = node("read", { requires: [numbers] }, async ({ numbers: reader }) => {
    const refusals = [
      handleMessages(reader, () => {}, { limit: 0 }),
      handleMessages(reader, () => {}, { maxStaged: 1.5 }),
      handleMessages(reader, () => {}, { limits: 1 } as never),
    ];
    for (const refused of refusals) expectCode(await rejection(refused), "PULSE_INVALID");
    expectCode(await rejection(handleMessages({} as never, () => {})), "PULSE_USAGE");
    await handleMessages(reader, (_message, { set }) => set(total, 1));
  });
  const failed = await rejectionOf(run(graph("g", { nodes: [writer(1), read] }), {}), "PULSE_EXECUTION_FAILED");
  expect(expectCode(failed.cause, "PULSE_USAGE").details.rule).toBe("CORE-9");
});
